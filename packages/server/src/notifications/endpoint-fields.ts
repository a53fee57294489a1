import { type TSchema, Type } from 'typebox'
import { endpointKinds } from './kinds/kinds.ts'
import { Events, SilentEvents, Subscribable } from './schemas.ts'

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** A text without spaces, NUL included, which no text in the database has. */
const printable = '^[^\\u0000-\\u0020]*$'
const Url = Type.String({
  minLength: 1,
  maxLength: 2048,
  pattern: printable,
  description:
    'Of the kinds webhook, discord, slack and ntfy: the address, preferably https. Private addresses are refused.',
})
const Token = Type.String({
  maxLength: 200,
  pattern: printable,
  description: 'The token of a Telegram bot, of a Pushover application, or for a topic of ntfy.',
})
const ChatId = Type.String({
  maxLength: 64,
  pattern: printable,
  description: 'Of the kind telegram: the number of the chat, or the name of a channel.',
})
const ThreadId = Type.String({
  maxLength: 32,
  pattern: printable,
  description: 'A topic of a Telegram group, or a thread of Discord.',
})
const UserKey = Type.String({
  maxLength: 64,
  pattern: printable,
  description: 'Of the kind pushover: the key of the user or group.',
})
const Device = Type.String({
  maxLength: 64,
  pattern: printable,
  description: 'Of the kind pushover: only this device.',
})
const Description = Type.String({ maxLength: 255, pattern: '^[^\\u0000]*$' })
const Kind = Type.Enum(endpointKinds, {
  description: 'An address that gets signed JSON, a chat service, or the mail address of your account.',
})

const TimeOfDay = Type.String({ maxLength: 5, pattern: '^(?:[01][0-9]|2[0-3]):[0-5][0-9]$' })
const QuietHours = orNull(
  Type.Object(
    { from: TimeOfDay, to: TimeOfDay, time_zone: Type.String({ maxLength: 100 }) },
    {
      description:
        'A time of each day, such as 22:00 to 07:30, in which messages come without a sound, except those about urgent events. `time_zone` is the name of an IANA time zone.',
    },
  ),
)

const Digest = orNull(
  Type.Object(
    { at: TimeOfDay, time_zone: Type.String({ maxLength: 100 }) },
    {
      description:
        'When the endpoint gets a summary, once a day, such as 08:00. `time_zone` is the name of an IANA time zone. null: never.',
    },
  ),
)

/** Of where it sends to, only those that are no secrets. */
export const endpointFields = {
  id: Type.Integer(),
  kind: Kind,
  receiver: orNull(
    Type.String({
      description: 'Where it sends to, without secrets; null if the service can no longer decrypt it.',
    }),
  ),
  url: orNull(
    Type.String({
      description: 'Of the kind webhook. null for other kinds, whose addresses are secrets.',
    }),
  ),
  chat_id: orNull(Type.String()),
  thread_id: orNull(Type.String()),
  device: orNull(Type.String()),
  description: Type.String(),
  events: Type.Array(Subscribable),
  silent: Type.Array(Subscribable),
  quiet_hours: QuietHours,
  digest: Digest,
  status: Type.Enum(['ACTIVE', 'INACTIVE', 'DISABLED'], {
    description:
      'The service sets `DISABLED` after 5 days without a success, or as soon as the receiver wants nothing more.',
  }),
  reason: orNull(Type.String({ description: 'The reason why the endpoint is disabled.' })),
}

export const EndpointBody = Type.Object(
  {
    kind: Type.Optional({ ...Kind, default: 'webhook' }),
    url: Type.Optional(Url),
    token: Type.Optional(Token),
    chat_id: Type.Optional(ChatId),
    thread_id: Type.Optional(ThreadId),
    user_key: Type.Optional(UserKey),
    device: Type.Optional(Device),
    description: Type.Optional({ ...Description, default: '' }),
    events: Events,
    silent: Type.Optional(SilentEvents),
    quiet_hours: Type.Optional(QuietHours),
    digest: Type.Optional(Digest),
  },
  {
    examples: [
      { url: 'https://example.com/notifications', events: ['signal.created', 'run.failed'] },
      {
        kind: 'telegram',
        token: '123456789:AAExampleExampleExampleExampleExamp',
        chat_id: '123456789',
        events: ['order.settled'],
      },
    ],
  },
)

/** `null` removes a field that need not be there. */
export const EndpointChange = Type.Object(
  {
    url: Type.Optional(Url),
    token: Type.Optional(orNull(Token)),
    chat_id: Type.Optional(ChatId),
    thread_id: Type.Optional(orNull(ThreadId)),
    user_key: Type.Optional(UserKey),
    device: Type.Optional(orNull(Device)),
    description: Type.Optional(Description),
    events: Type.Optional(Events),
    silent: Type.Optional(SilentEvents),
    quiet_hours: Type.Optional(QuietHours),
    digest: Type.Optional(Digest),
  },
  { examples: [{ events: ['signal.created'] }] },
)
