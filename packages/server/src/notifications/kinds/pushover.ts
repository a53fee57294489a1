import { asText, type ChatKind, detailOf } from './kind.ts'
import { cut, defused } from './words.ts'

const key = /^[A-Za-z0-9]{30}$/

/**
 * The devices of a user or group of Pushover.
 *
 * https://pushover.net/api: a message has at most 1024 characters and a title 250, and both are plain text. A 4xx means
 * that the same request is never accepted; 429 means that the application has used up its month. Two requests at a time.
 */
export const pushover: ChatKind = {
  required: ['token', 'user_key'],
  optional: ['device'],
  formats: {
    token: {
      is: (text) => key.test(text),
      otherwise: 'must be the API token of an application: 30 letters and digits',
    },
    user_key: {
      is: (text) => key.test(text),
      otherwise: 'must be the key of a user or group: 30 letters and digits',
    },
    device: { is: (text) => /^[\w-]{1,25}$/.test(text), otherwise: 'must be the name of a device' },
  },
  receiver: ({ device }) => (device === undefined ? 'Pushover' : `Pushover device ${device}`),
  canBeSilent: true,
  request: ({ token, user_key, device }, { title, lines }, isSilent) => ({
    url: new URL('https://api.pushover.net/1/messages.json'),
    body: {
      token,
      user: user_key,
      ...(device === undefined ? {} : { device }),
      ...(isSilent ? { priority: -1 } : {}),
      title: cut(defused(title), 250),
      // It refuses an empty message.
      message: cut(defused(asText({ title: lines[0] ?? title, lines: lines.slice(1) }, 1_000)), 1_024),
    },
  }),
  verdict: ({ status, headers, body, nowMs }) => {
    const { errors } = body
    const detail = detailOf(Array.isArray(errors) ? errors[0] : undefined)
    if (status === 429) {
      const resetMs = Number(headers['x-limit-app-reset']) * 1000 - nowMs
      return { is: 'busy', detail, waitMs: resetMs > 0 ? resetMs : null }
    }
    const isGone = status === 400 && (body.user === 'invalid' || body.token === 'invalid')
    return { is: isGone ? 'gone' : 'refused', detail }
  },
  pace: () => ({ atOnce: 5, aSecond: 1 }),
}
