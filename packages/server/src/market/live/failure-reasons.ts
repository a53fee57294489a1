import { isCcxtError } from './ccxt-types.ts'

/**
 * Why a request to an exchange failed, for the owner of a strategy: the end of a sentence such as "Binance spot cannot be
 * reached: …". It names no address, and contains nothing from the response except the status.
 */
export function reasonOf(error: unknown): string {
  const status = statusOf(error)
  const withStatus = (text: string) => (status === undefined ? text : `${text} (HTTP ${status})`)
  if (isRateLimit(error)) return withStatus('it asks for fewer requests')
  if (isCcxtError(error, 'BadSymbol')) return 'it does not know the symbol'
  if (isCcxtError(error, 'OnMaintenance')) return 'it is under maintenance'
  if (isCcxtError(error, 'AuthenticationError'))
    return withStatus('it gives prices only to authenticated users')
  if (isCcxtError(error, 'RestrictedLocation') || status === '451') {
    return withStatus('it does not serve this location')
  }
  if (isCcxtError(error, 'RequestTimeout')) return 'it did not answer in time'
  if (isCcxtError(error, 'ExchangeNotAvailable')) return withStatus('it is not available')
  if (isCcxtError(error, 'NetworkError')) return withStatus('the connection failed')
  if (isCcxtError(error, 'NotSupported')) return 'it does not support this way of asking for prices'
  return withStatus('its response could not be read')
}

/** Whether the exchange asks for fewer requests. */
export function isRateLimit(error: unknown): boolean {
  if (isCcxtError(error, 'RateLimitExceeded') || isCcxtError(error, 'DDoSProtection')) return true
  const status = statusOf(error)
  return status === '429' || status === '418'
}

/** Whether the exchange knows nothing of the name in the request, or finds that nothing can have such a name. */
export function isUnknownName(error: unknown): boolean {
  return isCcxtError(error, 'BadRequest') || ['400', '404', '422'].includes(statusOf(error) ?? '')
}

/** The HTTP status in ccxt's message of a failed request, or of a WebSocket that could not be opened. */
function statusOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const message = error.message.slice(0, 2_000)
  return /^\S+ [A-Z]+ \S+ ([45]\d\d)\b/.exec(message)?.[1] ?? /server response: (\d{3})/.exec(message)?.[1]
}
