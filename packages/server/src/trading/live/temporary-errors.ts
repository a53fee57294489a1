import { isCcxtError } from '../../market/live/ccxt-exchange.ts'

/** Whether a retry may help: after a lost connection, a timeout, a rate limit, or a failure of the exchange. */
export function isTemporary(error: unknown): boolean {
  return isCcxtError(error, 'OperationFailed') && !/ (400|403|404|405|410|501) /.test(String(error))
}
