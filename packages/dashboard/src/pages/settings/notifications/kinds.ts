import type { NotificationEndpoint } from '@tickwright/client'

export type EndpointKind = NotificationEndpoint['kind']
export type PlaceName = keyof Place

/** Where an endpoint sends to. In a change, `null` removes a field. */
export type Place = {
  url?: string
  token?: string | null
  chat_id?: string
  thread_id?: string | null
  user_key?: string
  device?: string | null
}

/** A field of an endpoint. A secret is never shown again; an optional field can be left empty. */
export type PlaceField = {
  name: PlaceName
  label: string
  hint?: string
  placeholder?: string
  isSecret?: boolean
  isOptional?: boolean
}

type Kind = {
  name: string
  /** How to get the values of the fields. */
  steps: readonly string[]
  fields: readonly PlaceField[]
  /** Whether it has messages without a sound. */
  canBeSilent?: boolean
}

/** What an endpoint can be, in the order of the form. */
export const kinds: Record<EndpointKind, Kind> = {
  webhook: {
    name: 'Webhook (signed JSON)',
    steps: [],
    fields: [
      {
        name: 'url',
        label: 'Address',
        placeholder: 'https://',
        hint: 'The service posts each event there.',
      },
    ],
  },
  telegram: {
    name: 'Telegram',
    canBeSilent: true,
    steps: [
      'Write /newbot to @BotFather in Telegram. It gives you the token of your bot.',
      'Open your bot and press Start, or add it to a group.',
      'Write it a message. Then open https://api.telegram.org/bot<token>/getUpdates: the number after "chat":{"id": is the chat.',
    ],
    fields: [
      { name: 'token', label: 'Bot token', placeholder: '123456789:AAE…', isSecret: true },
      {
        name: 'chat_id',
        label: 'Chat',
        placeholder: '123456789',
        hint: 'A number, below zero for a group, or a public channel such as @my_channel.',
      },
      { name: 'thread_id', label: 'Topic', hint: 'The number of a topic of the group.', isOptional: true },
    ],
  },
  discord: {
    name: 'Discord',
    canBeSilent: true,
    steps: [
      'In Discord, open the settings of a channel, then Integrations, Webhooks.',
      'Press New Webhook, then Copy Webhook URL.',
    ],
    fields: [
      {
        name: 'url',
        label: 'Webhook URL',
        placeholder: 'https://discord.com/api/webhooks/…',
        isSecret: true,
      },
      {
        name: 'thread_id',
        label: 'Thread',
        hint: 'The number of a thread of the channel.',
        isOptional: true,
      },
    ],
  },
  slack: {
    name: 'Slack',
    steps: [
      'At api.slack.com/apps, create an app and switch Incoming Webhooks on.',
      'Press Add New Webhook, choose a channel, and copy the address.',
    ],
    fields: [
      {
        name: 'url',
        label: 'Webhook URL',
        placeholder: 'https://hooks.slack.com/services/…',
        isSecret: true,
      },
    ],
  },
  ntfy: {
    name: 'ntfy',
    canBeSilent: true,
    steps: [
      'Install the app from ntfy.sh and subscribe to a topic.',
      'Who knows the topic can read it: choose a name that nobody guesses.',
    ],
    fields: [
      { name: 'url', label: 'Topic', placeholder: 'https://ntfy.sh/my-secret-topic', isSecret: true },
      {
        name: 'token',
        label: 'Access token',
        placeholder: 'tk_…',
        hint: 'Only for a topic that needs one.',
        isSecret: true,
        isOptional: true,
      },
    ],
  },
  pushover: {
    name: 'Pushover',
    canBeSilent: true,
    steps: [
      'Your user key is on the first page of pushover.net.',
      'Create an Application there gives you the API token.',
    ],
    fields: [
      { name: 'token', label: 'API token', isSecret: true },
      { name: 'user_key', label: 'User key', isSecret: true },
      { name: 'device', label: 'Device', hint: 'Only this one instead of all.', isOptional: true },
    ],
  },
  email: {
    name: 'Mail',
    steps: ['Messages go to the mail address of your account.'],
    fields: [],
  },
}

export const kindNames = Object.keys(kinds) as EndpointKind[]

/**
 * The fields to send, of those that were entered. In a change, an empty secret stays, and an empty optional field that is
 * shown is removed.
 */
export function placeOf(kind: EndpointKind, entered: (name: PlaceName) => string, isChange: boolean): Place {
  const place: Partial<Record<PlaceName, string | null>> = {}
  for (const { name, isSecret = false, isOptional = false } of kinds[kind].fields) {
    const text = entered(name).trim()
    if (text !== '') place[name] = text
    else if (isChange && isOptional && !isSecret) place[name] = null
    else if (!isOptional && !(isChange && isSecret)) place[name] = ''
  }
  // Only optional fields are removed.
  return place as Place
}
