import { isCcxtError } from '../../market/live/ccxt-exchange.ts'
import { isRateLimit, reasonOf } from '../../market/live/words.ts'

/** Longest excerpt of an exchange's own words. */
const saidLimit = 160

/** Why an account cannot be used, as a sentence for its owner. It repeats nothing that came from outside. */
export function accountReason(error: unknown): string {
  if (isUnknownKey(error)) {
    return 'The exchange does not know the key, or does not let it do this, or not from this address.'
  }
  if (isPermission(error))
    return 'The exchange knows the key, but it may not do this: a permission is missing.'
  if (isWrongKey(error)) return 'The exchange does not accept these credentials.'
  if (isCcxtError(error, 'InvalidNonce')) {
    return 'The exchange refused the time of the request: compare the clock of this machine.'
  }
  if (isRateLimit(error)) return 'The exchange asks for fewer requests; try again in a while.'
  if (isCcxtError(error, 'NetworkError')) return `The exchange cannot be reached: ${reasonOf(error)}.`
  if (isCcxtError(error, 'BaseError')) return 'The exchange refused the request.'
  return 'These credentials cannot be used: a request could not be signed with them, or not be answered.'
}

/**
 * Why an order was refused, as a sentence for its owner, with the exchange's own words.
 * @param secrets are never part of it
 */
export function refusalReason(error: unknown, secrets: readonly string[]): string {
  const sentence = refusalOf(error)
  return isRateLimit(error) ? sentence : `${sentence.slice(0, -1)}${saidBy(error, secrets)}.`
}

function refusalOf(error: unknown): string {
  const isAboutAccount = isPermission(error) || isWrongKey(error) || isCcxtError(error, 'InvalidNonce')
  if (isAboutAccount || isUnknownKey(error)) return accountReason(error)
  if (isRateLimit(error)) return 'The exchange asks for fewer requests, and did not take the order.'
  if (isCcxtError(error, 'InsufficientFunds')) return 'The account has too little for the order.'
  return 'The exchange refused the order.'
}

/**
 * Why nobody knows what became of an order, as a sentence for its owner.
 * @param status of the answer, where one came
 */
export function unknownReason(error: unknown, status: number | undefined): string {
  const why = status !== undefined && status >= 500 ? `it is out of order (HTTP ${status})` : reasonOf(error)
  return `The exchange did not tell what became of the order: ${why}.`
}

/** Binance says no more than that. */
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

/** What an exchange says is shown to the account's owner: short, printable, without addresses and credentials. */
function saidBy(error: unknown, secrets: readonly string[]): string {
  let text = messageOf(error).replace(/^\w+ /, '')
  try {
    text = wordsIn(JSON.parse(text)) ?? text
  } catch {
    // Not every exchange answers in JSON.
  }
  for (const secret of secrets) if (secret.length > 3) text = text.replaceAll(secret, '…')
  text = text
    .replace(/https?:\/\/\S+/g, '')
    .replace(/[^\x20-\x7e]/g, ' ')
    .trim()
  return text === '' ? '' : `: ${text.slice(0, saidLimit).replace(/\.$/, '')}`
}

function wordsIn(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null) return undefined
  const { msg, message, error } = answer as Record<string, unknown>
  const words = [msg, message, Array.isArray(error) ? error.join(', ') : error]
  return words.find((word) => typeof word === 'string' && word !== '') as string | undefined
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 2_000) : ''
}
