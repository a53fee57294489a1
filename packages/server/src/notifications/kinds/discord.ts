import { asText, type ChatKind, detailOf, secondsOf } from './kind.ts'
import { cut, defused } from './words.ts'

const webhookPath = /^\/api\/(?:v\d{1,2}\/)?webhooks\/(\d{15,22})\/[\w-]{20,100}\/?$/
/** Codes of Discord for a webhook or a channel that no longer exists, a webhook without rights, and a wrong token. */
const goneCodes = new Set([10_003, 10_015, 50_001, 50_013, 50_027])
/** No embeds for links. */
const suppressEmbeds = 4
/** No push and no sound. */
const suppressNotifications = 4_096

/**
 * A channel of Discord, by a webhook that its owner has made there.
 *
 * https://discord.com/developers/docs/resources/webhook#execute-webhook: `content` has at most 2000 characters, and
 * `allowed_mentions` decides who is mentioned, whatever the text says. With `wait`, the answer says whether the message
 * was stored. Rates: https://discord.com/developers/docs/topics/rate-limits, with `Retry-After` and `retry_after`. A
 * webhook may send about five messages in two seconds, and 30 in a minute to a channel.
 */
export const discord: ChatKind = {
  required: ['url'],
  optional: ['thread_id'],
  formats: {
    url: {
      is: (text) => webhookPath.test(URL.parse(text)?.pathname ?? ''),
      otherwise: 'must be the address of a webhook, such as https://discord.com/api/webhooks/…/…',
    },
    thread_id: { is: (text) => /^\d{15,22}$/.test(text), otherwise: 'must be the number of a thread' },
  },
  receiver: ({ url = '' }) => `Discord webhook ${webhookPath.exec(new URL(url).pathname)?.[1]}`,
  canBeSilent: true,
  request: ({ url = '', thread_id }, { title, lines }, isSilent) => {
    const address = new URL(url)
    address.search = ''
    address.searchParams.set('wait', 'true')
    if (thread_id !== undefined) address.searchParams.set('thread_id', thread_id)
    const text =
      lines.length === 0 ? '' : `\n${escaped(asText({ title: lines[0]!, lines: lines.slice(1) }, 900))}`
    return {
      url: address,
      body: {
        content: cut(`**${escaped(title)}**${text}`, 2_000),
        allowed_mentions: { parse: [] },
        flags: isSilent ? suppressEmbeds + suppressNotifications : suppressEmbeds,
      },
    }
  },
  verdict: ({ status, headers, body }) => {
    const detail = detailOf(body.message)
    if (status === 429) {
      const header = Number(headers['retry-after'])
      return { is: 'busy', detail, waitMs: secondsOf(body.retry_after) ?? secondsOf(header) }
    }
    return { is: goneCodes.has(Number(body.code)) ? 'gone' : 'refused', detail }
  },
  pace: () => ({ atOnce: 4, aSecond: 0.5 }),
}

/** A backslash before each sign takes its meaning in Markdown, mentions and timestamps. */
function escaped(text: string): string {
  return defused(text).replaceAll(/[\\*_~`|>#[\]()<@:-]/g, '\\$&')
}
