import { isCcxtError } from '../../market/live/ccxt-exchange.ts'
import type { Dialect } from './dialects/dialect.ts'
import type { Sent } from './sent-requests.ts'
import { isTemporary } from './temporary-errors.ts'

/** What an error says about an order that was being placed. */
export type Verdict = 'refused' | 'busy' | 'unknown' | 'duplicate'

/** Errors of ccxt which say that the exchange placed no order. */
const refusals = [
  'AuthenticationError',
  'BadRequest',
  'ArgumentsRequired',
  'OperationRejected',
  'InsufficientFunds',
  'InvalidOrder',
  'NotSupported',
]

/**
 * Interprets an error of placing an order. The order counts as refused only if its request was never sent, or if the
 * exchange itself said so. In any other case, the order may have been placed. `busy`: refused for a temporary reason,
 * which is a rate limit or the time of the request.
 */
export function verdictOf(error: unknown, sent: Sent, dialect: Dialect): Verdict {
  if (!sent.mayHaveArrived) return isTemporary(error) ? 'busy' : 'refused'
  if (sent.status === undefined || sent.status >= 500) return 'unknown'
  const message = error instanceof Error ? error.message : ''
  if (dialect.unsure?.test(message)) return 'unknown'
  if (isDuplicate(error, message)) return 'duplicate'
  if (isCcxtError(error, 'OrderNotFound') || isCcxtError(error, 'OrderNotCached')) return 'unknown'
  if (
    isRateLimit(error, sent.status) ||
    dialect.rateLimits?.test(message) ||
    isClockRefusal(error, dialect)
  ) {
    return 'busy'
  }
  // Binance answers an unknown key with a 401, which ccxt reports as DDoS protection.
  if (isCcxtError(error, 'DDoSProtection') && sent.status === 401) return 'refused'
  if (refusals.some((kind) => isCcxtError(error, kind))) return 'refused'
  if (isCcxtError(error, 'ExchangeError') && refusalStatuses.has(sent.status)) return 'refused'
  // ccxt reports some refusals, such as those of a halted market, as failures of the exchange.
  return isCcxtError(error, 'BaseError') && dialect.refusals?.test(message) ? 'refused' : 'unknown'
}

/** Whether the exchange refused the time of the request. */
export function isClockRefusal(error: unknown, dialect: Dialect | undefined): boolean {
  if (isCcxtError(error, 'InvalidNonce')) return true
  return error instanceof Error && dialect?.clockRefusals?.test(error.message) === true
}

/** Statuses with which an exchange refuses a request that it has read. */
const refusalStatuses = new Set([400, 401, 403, 422])

/** A mistake here does no harm: the bot looks up an order that does not exist. */
function isDuplicate(error: unknown, message: string): boolean {
  if (isCcxtError(error, 'DuplicateOrderId')) return true
  return isCcxtError(error, 'ExchangeError') && duplicateWords.test(message)
}

const duplicateWords = /duplicat|already (exist|in use)|REPEATED_CREATION|"code":\s*"?(-4116|40786|25212)\b/i

/** ccxt reports other answers as rate limits too, such as a 409, so the status must fit. */
function isRateLimit(error: unknown, status: number): boolean {
  if (isCcxtError(error, 'RateLimitExceeded') || status === 429) return true
  return isCcxtError(error, 'DDoSProtection') && [200, 418, 429].includes(status)
}
