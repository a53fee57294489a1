import { ConnectionError, errorOf } from './errors.ts'
import type { Answer } from './transport.ts'

/** How often, and how, a request is sent again without doing anything twice. */
export type Retries = {
  /** Times that it is sent again, at the most. */
  most: number
  sleep(ms: number): Promise<void>
  /** A number from 0 up to 1. Default: `Math.random`. */
  random?: () => number
  /**
   * Makes an `Idempotency-Key` that nobody else makes. With it, whatever changes something can be sent again: the
   * service carries it out once. Without it, only what can do no harm is sent again.
   */
  newKey?: () => string
}

/** The first wait is at most this long, each further one twice as long as the one before. */
const firstWaitMs = 250
/** Nobody is kept waiting longer; a service that asks for more gets its refusal passed on. */
const longestWaitMs = 10_000

/** What came of one sending: an answer, or what `send` threw. */
export type Outcome = { answer: Answer } | { thrown: unknown }

/**
 * Whether an operation may be done twice without an idempotency key, by its request line: reading, and deleting a thing, whose id is never
 * given to another. Not PUT: sent again, it could undo what somebody else has set in the meantime, such as a stop.
 * Nor DELETE of what comes again, such as a storage.
 */
export function mayRepeat(operation: string): boolean {
  return /^GET |^DELETE \S+\/\{\w+\}(\?\S+)?$/.test(operation)
}

/**
 * How long to wait before sending again, in ms; `undefined` if that must not, or need not, be done. After a lost
 * connection, and 502, 503, 504, which a proxy may have answered, nobody knows whether it was done. A 429 was
 * refused before anything was done; where the first sending is still under way, its answer will be there.
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

/** Whether a thing is gone that an earlier sending of the same request was to delete: then it has been done. */
export function isDeleted(operation: string, outcome: Outcome): boolean {
  if ('thrown' in outcome || outcome.answer.status !== 404 || !operation.startsWith('DELETE ')) return false
  return errorOf(outcome.answer).code === 'resource_not_found'
}

function isUnderWay(outcome: Outcome): boolean {
  if ('thrown' in outcome || outcome.answer.status !== 409) return false
  return errorOf(outcome.answer).code === 'idempotency_under_way'
}

/** Whether the service refused before it did anything. */
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
