import { isCcxtError } from '../../market/live/ccxt-exchange.ts'

/** What may be otherwise in a moment: no connection, no time, a limit of requests, an exchange out of order. */
export function isPassing(error: unknown): boolean {
  return isCcxtError(error, 'OperationFailed') && !/ (400|403|404|405|410|501) /.test(String(error))
}
