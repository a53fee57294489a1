import { STATUS_CODES } from 'node:http'
import { isCcxtError } from '../../market/live/ccxt-exchange.ts'
import { isRateLimit, reasonOf } from '../../market/live/failure-reasons.ts'
import { NoSuchMarket, VenueUnreachable } from '../../market/price-source.ts'
import { type Dialect, UnfitAccount } from './dialects/dialect.ts'
import { isClockRefusal } from './outcomes.ts'

/** The longest excerpt of an exchange's own message. */
const messageLimit = 160

/** Why an account cannot be used, as a sentence for its owner. It contains no text from the exchange. */
export function accountReason(error: unknown, dialect?: Dialect): string {
  if (error instanceof UnfitAccount) return error.message
  if (isClockRefusal(error, dialect)) {
    return "The exchange refused the time of the request. Check this machine's clock."
  }
  if (isUnknownKey(error)) {
    return 'The exchange does not know the key, or the key does not allow this request or this IP address.'
  }
  if (isCcxtError(error, 'AccountSuspended')) return 'The exchange does not allow the account to do this.'
  if (isPermission(error))
    return 'The exchange knows the key, but the key lacks a permission for this request.'
  if (isWrongKey(error)) return 'The exchange does not accept these credentials.'
  if (isRateLimit(error)) return 'The exchange limits the rate of requests. Try again later.'
  if (isCcxtError(error, 'NetworkError')) return `The exchange cannot be reached: ${reasonOf(error)}.`
  if (isCcxtError(error, 'BaseError')) return 'The exchange refused the request.'
  return 'These credentials do not work: the service could not sign a request with them, or could not read the answer.'
}

/**
 * Why an order was refused, as a sentence for its owner, with the exchange's own message.
 * @param secrets texts that the sentence must never contain
 */
export function refusalReason(error: unknown, secrets: readonly string[], dialect?: Dialect): string {
  const sentence = refusalOf(error, dialect)
  return isRateLimit(error) ? sentence : `${sentence.slice(0, -1)}${exchangeMessage(error, secrets)}.`
}

function refusalOf(error: unknown, dialect: Dialect | undefined): string {
  const isAboutAccount = isPermission(error) || isWrongKey(error) || isClockRefusal(error, dialect)
  if (isAboutAccount || isUnknownKey(error)) return accountReason(error, dialect)
  if (isRateLimit(error)) return 'The exchange limits the rate of requests and did not accept the order.'
  if (isCcxtError(error, 'InsufficientFunds')) return 'The account does not have enough for the order.'
  return 'The exchange refused the order.'
}

/**
 * Why the outcome of an order is unknown, as a sentence for its owner.
 * @param status the HTTP status of the answer, if one came
 */
export function unknownReason(error: unknown, status: number | undefined): string {
  const why = status !== undefined && status >= 500 ? `it has a failure (HTTP ${status})` : reasonOf(error)
  return `The exchange did not say whether it accepted the order: ${why}.`
}

/**
 * Why an order was not sent, as a sentence for its owner.
 * @param secrets texts that the sentence must never contain
 */
export function unsentReason(error: unknown, secrets: readonly string[], dialect?: Dialect): string {
  if (isForUsers(error)) return error.message
  if (isCcxtError(error, 'ExchangeError')) return refusalReason(error, secrets, dialect)
  return `The order was not sent: ${reasonOf(error)}.`
}

/** Whether the message of an error is a sentence for the account's owner. */
export function isForUsers(error: unknown): error is Error {
  return [NoSuchMarket, VenueUnreachable, UnfitAccount].some((kind) => error instanceof kind)
}

/** Binance has a single code for all of these cases. */
function isUnknownKey(error: unknown): boolean {
  return /"code":\s*-2015\b/.test(messageOf(error))
}

function isPermission(error: unknown): boolean {
  if (isCcxtError(error, 'PermissionDenied')) return true
  return /permission|not allowed to trade/i.test(messageOf(error)) && isCcxtError(error, 'BaseError')
}

function isWrongKey(error: unknown): boolean {
  if (isCcxtError(error, 'AuthenticationError')) return true
  return /invalid[ _]?(api[- _]?)?(key|sign)/i.test(messageOf(error)) && isCcxtError(error, 'ExchangeError')
}

/** The exchange's own message for the account's owner: short, printable, without addresses and credentials. */
function exchangeMessage(error: unknown, secrets: readonly string[]): string {
  let text = withoutRequest(messageOf(error))
  try {
    // ccxt sometimes adds a sentence of its own in front.
    const answer: unknown = JSON.parse(text.slice(Math.max(0, text.search(/[{[]/))))
    text = messageIn(answer) ?? nestedMessageIn(answer) ?? text
  } catch {
    // Some exchanges do not answer in JSON.
  }
  for (const secret of secrets) if (secret.length > 3) text = text.replaceAll(secret, '…')
  text = text
    .replace(/https?:\/\/\S+/g, '')
    .replace(/[^\x20-\x7e]/g, ' ')
    .trim()
  return text === '' ? '' : `: ${text.slice(0, messageLimit).replace(/\.$/, '')}`
}

function messageIn(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null) return undefined
  const { msg, message, error, retMsg, data } = answer as Record<string, unknown>
  const list = Array.isArray(error) ? error.join(', ') : error
  // OKX says only in the list that the request failed, and of each order why.
  const [first] = Array.isArray(data) ? (data as { sMsg?: unknown }[]) : []
  const candidates = [first?.sMsg, msg, message, retMsg, list]
  return candidates.find((text) => typeof text === 'string' && text !== '') as string | undefined
}

/** Hyperliquid gives the reason as the response, or in the response once for each order. */
function nestedMessageIn(answer: unknown): string | undefined {
  const { response } = answer as { response?: unknown }
  if (typeof response === 'string') return response
  const { statuses } = (response as { data?: { statuses?: unknown } } | undefined)?.data ?? {}
  const errors = (Array.isArray(statuses) ? statuses : []).map((status) => messageIn(status))
  return errors.find((text) => text !== undefined)
}

/** ccxt puts the exchange's id in front, and before an answer that is not JSON also the request and the HTTP status. */
function withoutRequest(message: string): string {
  const [, status = '', rest] = /^\w+ [A-Z]+ \S+ (\d{3}) (.*)$/s.exec(message) ?? []
  if (rest === undefined) return message.replace(/^\w+:? (createOrder failed due to )?/, '')
  const words = STATUS_CODES[status] ?? ''
  return rest.startsWith(words) ? rest.slice(words.length) : rest
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 2_000) : ''
}
