import { asText, type ChatKind, secondsOf } from './kind.ts'
import { defused } from './words.ts'

/** Answers after which a webhook of Slack gets nothing more, as text. */
const goneTexts = new Set([
  ...['no_service', 'no_service_id', 'no_team', 'team_disabled', 'invalid_token', 'token_revoked'],
  ...['channel_is_archived', 'channel_not_found', 'user_not_found', 'action_prohibited'],
  ...['posting_to_general_channel_denied', 'no_active_hooks'],
])

/**
 * A channel of Slack, by an incoming webhook, or of a server that takes the same requests, such as Mattermost.
 *
 * https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks: errors are a word as plain text.
 * https://docs.slack.dev/messaging/formatting-message-text: `&`, `<` and `>` are escaped, so `<!channel>` and links
 * are only text. https://docs.slack.dev/apis/web-api/rate-limits: one message a second, short bursts, `Retry-After`.
 */
export const slack: ChatKind = {
  required: ['url'],
  optional: [],
  formats: {
    url: {
      is: (text) => (URL.parse(text)?.pathname ?? '').length > 1,
      otherwise: 'must be the address of an incoming webhook, such as https://hooks.slack.com/services/…',
    },
  },
  receiver: ({ url = '' }) => {
    const { host } = new URL(url)
    return host === 'hooks.slack.com' ? 'Slack webhook' : `Slack webhook at ${host}`
  },
  canBeSilent: false,
  request: ({ url = '' }, message) => {
    const text = escaped(asText(message, 700))
    return {
      url: new URL(url),
      body: {
        // Notifications show `text`; the channel shows the block, in which nothing becomes a link or a mention.
        text,
        blocks: [{ type: 'section', text: { type: 'mrkdwn', text, verbatim: true } }],
        unfurl_links: false,
        unfurl_media: false,
      },
    }
  },
  verdict: ({ status, headers, start }) => {
    const word = start.trim()
    const detail = /^[a-z_]{3,60}$/.test(word) ? word : ''
    if (status === 429) return { is: 'busy', detail, waitMs: secondsOf(Number(headers['retry-after'])) }
    return { is: goneTexts.has(detail) || status === 410 ? 'gone' : 'refused', detail }
  },
  pace: () => ({ atOnce: 3, aSecond: 1 }),
}

/** Slack has no escape for its signs of emphasis. An invisible joiner on both sides keeps them from meaning anything. */
function escaped(text: string): string {
  return defused(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/[*_~`:]/g, '\u2060$&\u2060')
}
