import { asText, type ChatKind, detailOf, secondsOf } from './kind.ts'
import { defused } from './words.ts'

const topicPath = /^\/([\w-]{1,64})\/?$/

/**
 * A topic of ntfy.sh or of a server of one's own.
 *
 * https://docs.ntfy.sh/publish/#publish-as-json: a POST to the root of the server. A message has at most 4096 bytes, a
 * longer one becomes an attachment; a topic has up to 64 letters, digits, `_` and `-`, and who knows it can read it.
 * https://docs.ntfy.sh/publish/#limitations: 60 requests at once, and then one in five seconds.
 */
export const ntfy: ChatKind = {
  required: ['url'],
  optional: ['token'],
  formats: {
    url: {
      is: (text) => topicPath.test(URL.parse(text)?.pathname ?? ''),
      otherwise: 'must be the address of a topic, such as https://ntfy.sh/my-secret-topic',
    },
    token: { is: (text) => /^tk_\w{10,64}$/.test(text), otherwise: 'must be an access token, such as tk_…' },
  },
  receiver: ({ url = '' }) => `ntfy topic at ${new URL(url).host}`,
  canBeSilent: true,
  request: ({ url = '', token }, { title, lines }, isSilent) => {
    const { origin, pathname } = new URL(url)
    return {
      url: new URL('/', origin),
      ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }),
      body: {
        topic: topicPath.exec(pathname)?.[1],
        title: defused(title),
        // Without a text, a phone shows only the word "triggered".
        message: defused(asText({ title: lines[0] ?? title, lines: lines.slice(1) }, 1_000)),
        // Low: neither sound nor vibration.
        ...(isSilent ? { priority: 2 } : {}),
      },
    }
  },
  verdict: ({ status, headers, body }) => {
    const detail = detailOf(body.error)
    if (status === 429) return { is: 'busy', detail, waitMs: secondsOf(Number(headers['retry-after'])) }
    // 401 and 403: the topic is reserved, or the token is wrong. Without a code of ntfy, somebody else answers.
    const isGone = (status === 401 || status === 403) && typeof body.code === 'number'
    return { is: isGone ? 'gone' : 'refused', detail }
  },
  pace: () => ({ atOnce: 30, aSecond: 0.2 }),
}
