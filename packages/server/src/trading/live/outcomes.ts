import { isCcxtError } from '../../market/live/ccxt-exchange.ts'
import type { Dialect } from './dialects.ts'
import type { Sent } from './sent-requests.ts'

/** What an error says of an order that was to be placed. */
export type Verdict = 'refused' | 'busy' | 'unknown' | 'duplicate'

/** Answers of an exchange that it took no order, by ccxt's names. */
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
 * Reads an error of placing an order. It is refused only if nothing of it has left, or if the exchange itself has
 * answered so; whatever else happened, the order may be there. `busy`: refused for a reason that passes by itself, a
 * limit of requests or the time that a request carried.
 */
export function verdictOf(error: unknown, sent: Sent, dialect: Dialect): Verdict {
  if (!sent.left) return 'refused'
  if (sent.status === undefined || sent.status >= 500) return 'unknown'
  const message = error instanceof Error ? error.message : ''
  if (dialect.unsure?.test(message)) return 'unknown'
  if (isDuplicate(error, message)) return 'duplicate'
  if (isCcxtError(error, 'OrderNotFound') || isCcxtError(error, 'OrderNotCached')) return 'unknown'
  if (isRateLimit(error, sent.status) || isCcxtError(error, 'InvalidNonce')) return 'busy'
  // Binance: a key that it does not know, which ccxt takes for a protection.
  if (isCcxtError(error, 'DDoSProtection') && sent.status === 401) return 'refused'
  if (refusals.some((kind) => isCcxtError(error, kind))) return 'refused'
  const isAnswer = isCcxtError(error, 'ExchangeError')
  if (isAnswer && (understood.has(sent.status) || dialect.refusals?.test(message))) return 'refused'
  return 'unknown'
}

/** Statuses with which an exchange says that it has read the request and does not do it. */
const understood = new Set([400, 401, 403, 422])

/** Whoever is taken for a duplicate by mistake is looked up in vain, which does no harm. */
function isDuplicate(error: unknown, message: string): boolean {
  if (isCcxtError(error, 'DuplicateOrderId')) return true
  return isCcxtError(error, 'ExchangeError') && duplicateWords.test(message)
}

const duplicateWords = /duplicat|already (exist|in use)|REPEATED_CREATION|"code":\s*"?(-4116|40786)\b/i

/** ccxt also takes answers for it that say nothing of the kind, such as 409. */
function isRateLimit(error: unknown, status: number): boolean {
  if (isCcxtError(error, 'RateLimitExceeded')) return true
  return isCcxtError(error, 'DDoSProtection') && [200, 418, 429].includes(status)
}
