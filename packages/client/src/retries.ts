import { ConnectionError } from './errors.ts'
import type { Answer, Method } from './transport.ts'

/** How often, and how, a request is sent again that can be without doing anything twice. */
export type Retries = {
  /** Times that it is sent again, at the most. */
  most: number
  sleep(ms: number): Promise<void>
  /** A number from 0 up to 1. Default: `Math.random`. */
  random?: () => number
}

/** The first wait is at most this long, each further one twice as long as the one before. */
const firstWaitMs = 250
/** Nobody is kept waiting longer; a service that asks for more gets its refusal passed on. */
const longestWaitMs = 10_000

/** What came of one sending: an answer, or what `send` threw. */
export type Outcome = { answer: Answer } | { thrown: unknown }

/**
 * How long to wait before sending again, in ms; `undefined` if that must not, or need not, be done. Only reading
 * is done again where nobody knows whether it was done: after a lost connection, and 502, 503, 504, which a proxy
 * may have answered. A 429 was refused before anything was done.
 */
export function waitBefore(
  resending: number,
  method: Method,
  outcome: Outcome,
  random: () => number,
): number | undefined {
  const backoffMs = Math.min(firstWaitMs * 2 ** (resending - 1), longestWaitMs) * random()
  if ('thrown' in outcome) {
    return method === 'GET' && outcome.thrown instanceof ConnectionError ? backoffMs : undefined
  }
  const { status, headers } = outcome.answer
  const askedMs = retryAfterMs(headers?.['retry-after'])
  if (status === 429) return askedMs === undefined ? undefined : within(askedMs + firstWaitMs * random())
  if (method !== 'GET' || status < 502 || status > 504) return undefined
  return within((askedMs ?? 0) + backoffMs)
}

function within(waitMs: number): number | undefined {
  return waitMs <= longestWaitMs ? waitMs : undefined
}

/** `Retry-After` in seconds, as the service sends it. */
function retryAfterMs(value: string | undefined): number | undefined {
  return value !== undefined && /^\d{1,9}$/.test(value) ? Number(value) * 1000 : undefined
}
