import { ConnectionError, errorOf } from './errors.ts'
import type { TransportAnswer } from './transport.ts'

/** How often and how the client retries, without doing anything twice. */
export type Retries = {
  /** The number of retries, at most. */
  most: number
  sleep(ms: number): Promise<void>
  /** A number from 0 to below 1. Default: `Math.random`. */
  random?: () => number
  /**
   * Creates a unique `Idempotency-Key`. With it, the client can retry every changing request: the service carries it
   * out once. Without it, the client retries only requests that do no harm if repeated.
   */
  newKey?: () => string
}

/** The first backoff is at most this long; each further one at most twice as long as the one before. */
const firstWaitMs = 250
/** The longest wait. If the service asks for a longer one, the caller gets the refusal instead. */
const longestWaitMs = 10_000

/** The outcome of one attempt: an answer, or the error that `send` threw. */
export type Outcome = { answer: TransportAnswer } | { thrown: unknown }

/**
 * Whether an operation may be repeated without an idempotency key, by its request line: reading, and deleting by id,
 * because ids are never reused. Not PUT: a repeat could undo what someone else has set meanwhile, such as a stop. Not
 * DELETE of something that can exist again, such as a storage.
 */
export function mayRepeat(operation: string): boolean {
  return /^GET |^DELETE \S+\/\{\w+\}(\?\S+)?$/.test(operation)
}

/**
 * How long to wait before the next attempt, in ms; `undefined` for no further attempt. After a lost connection, and
 * after 502, 503 and 504, which may come from a proxy, the outcome is unknown. A 429 means that nothing was done. If
 * the first attempt is still in progress, a later one gets its answer.
 */
export function waitBefore(
  resending: number,
  repeatable: boolean,
  outcome: Outcome,
  random: () => number,
): number | undefined {
  const backoffMs = Math.min(firstWaitMs * 2 ** (resending - 1), longestWaitMs) * random()
  if ('thrown' in outcome) {
    return repeatable && outcome.thrown instanceof ConnectionError ? backoffMs : undefined
  }
  const { status, headers } = outcome.answer
  const askedMs = retryAfterMs(headers?.['retry-after'])
  if (status === 429 || isUnderWay(outcome))
    return askedMs === undefined ? undefined : within(askedMs + firstWaitMs * random())
  if (!repeatable || status < 502 || status > 504) return undefined
  return within((askedMs ?? 0) + backoffMs)
}

/** Whether a retried DELETE finds nothing: then an earlier attempt has deleted it. */
export function isDeleted(operation: string, outcome: Outcome): boolean {
  if ('thrown' in outcome || outcome.answer.status !== 404 || !operation.startsWith('DELETE ')) return false
  return errorOf(outcome.answer).code === 'resource_not_found'
}

function isUnderWay(outcome: Outcome): boolean {
  if ('thrown' in outcome || outcome.answer.status !== 409) return false
  return errorOf(outcome.answer).code === 'idempotency_under_way'
}

/** Whether the service refused before doing anything. */
export function isUndone(outcome: Outcome): boolean {
  return 'answer' in outcome && outcome.answer.status === 429
}

function within(waitMs: number): number | undefined {
  return waitMs <= longestWaitMs ? waitMs : undefined
}

/** `Retry-After` in seconds, as the service sends it. */
function retryAfterMs(value: string | undefined): number | undefined {
  return value !== undefined && /^\d{1,9}$/.test(value) ? Number(value) * 1000 : undefined
}
