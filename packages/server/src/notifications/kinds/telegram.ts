import { asText, type ChatKind, detailOf, secondsOf } from './kind.ts'
import { defused } from './words.ts'

const origin = 'https://api.telegram.org'
/** Statuses that a message cannot cause: no such bot, its token is revoked, or the user or group has shut it out. */
const goneStatuses = new Set([401, 403, 404])
const goneTexts =
  /chat not found|message thread not found|group chat was upgraded|CHAT_RESTRICTED|have no rights/i

/**
 * A chat, group or channel of Telegram, by a bot of the user's own. Each endpoint has its own token: with one bot for
 * everybody, each user could have the service write to every chat that has ever started it.
 *
 * The Bot API, https://core.telegram.org/bots/api#sendmessage: a text has 1 to 4096 characters after its entities are
 * parsed; `ResponseParameters` has `retry_after` and `migrate_to_chat_id`. The rates are those of
 * https://core.telegram.org/bots/faq#broadcasting-to-users: one message a second in a chat, 20 a minute in a group.
 */
export const telegram: ChatKind = {
  required: ['token', 'chat_id'],
  optional: ['thread_id'],
  formats: {
    token: {
      is: (text) => /^\d{5,16}:[\w-]{30,64}$/.test(text),
      otherwise: 'must be the token of a bot as @BotFather gives it, such as 123456789:AAE…',
    },
    chat_id: {
      is: (text) => /^(?:-?[1-9]\d{0,15}|@[a-z]\w{3,31})$/i.test(text),
      otherwise:
        'must be the number of a chat, such as 123456789 or -1001234567890, or a channel, such as @name',
    },
    thread_id: {
      is: (text) => /^[1-9]\d{0,9}$/.test(text),
      otherwise: 'must be the number of a topic of the group',
    },
  },
  receiver: ({ chat_id }) => `Telegram chat ${chat_id}`,
  canBeSilent: true,
  request: ({ token, chat_id, thread_id }, { title, lines }, isSilent) => ({
    url: new URL(`/bot${token}/sendMessage`, origin),
    body: {
      chat_id,
      ...(thread_id === undefined ? {} : { message_thread_id: Number(thread_id) }),
      text: `<b>${escaped(title)}</b>\n${escaped(asText({ title: '', lines }, 2_000).trim())}`.trim(),
      parse_mode: 'HTML',
      link_preview_options: { is_disabled: true },
      ...(isSilent ? { disable_notification: true } : {}),
    },
  }),
  verdict: ({ status, body }) => {
    const detail = detailOf(body.description)
    const { retry_after, migrate_to_chat_id } = (body.parameters ?? {}) as Record<string, unknown>
    if (status === 429) return { is: 'busy', detail, waitMs: secondsOf(retry_after) }
    if (Number.isSafeInteger(migrate_to_chat_id)) {
      return {
        is: 'gone',
        detail: `the group has become a supergroup: its chat_id is ${migrate_to_chat_id} now`,
      }
    }
    // Without a description, it is not the Bot API that answers.
    const isGone = detail !== '' && (goneStatuses.has(status) || goneTexts.test(detail))
    return { is: isGone ? 'gone' : 'refused', detail }
  },
  pace: ({ chat_id = '' }) =>
    /^[1-9]/.test(chat_id) ? { atOnce: 3, aSecond: 1 } : { atOnce: 2, aSecond: 0.3 },
}

/** Of Telegram's HTML, these are the characters with a meaning. */
function escaped(text: string): string {
  return defused(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
