import { isCcxtError } from '../../../market/live/ccxt-exchange.ts'
import type { CcxtAccount } from '../../../market/live/ccxt-trading.ts'
import { isTemporary } from '../temporary-errors.ts'

type Params = Record<string, unknown>

/**
 * Sends a request by ccxt's name for it, such as `privateUtaGetV3AccountSettings`, with its signature and rate limit.
 * @returns the exchange's answer, in which ccxt has made all numbers text @throws the errors of ccxt
 */
export async function ask<T>(account: CcxtAccount, request: string, params: Params = {}): Promise<T> {
  const requests = account as unknown as Record<string, (params: Params) => Promise<T>>
  const send = requests[request]
  if (send === undefined) throw new Error(`ccxt has no request ${request}.`)
  return send.call(account, params)
}

/** The same, or `undefined` if the exchange refuses the request, for example because the key may not send it. */
export async function askUnlessRefused<T>(
  account: CcxtAccount,
  request: string,
  params: Params = {},
): Promise<T | undefined> {
  try {
    return await ask<T>(account, request, params)
  } catch (error) {
    if (isTemporary(error) || !isCcxtError(error, 'BaseError')) throw error
    return undefined
  }
}

const dayMs = 86_400_000

/**
 * Splits the time since a moment into parts that an exchange accepts, the oldest first.
 * @param limits the longest part, and how far back the exchange looks at all
 */
export function windowsSince(
  since: number,
  limits: { windowDays: number; historyDays: number },
): { from: number; to: number }[] {
  // The exchange's clock may be ahead of this machine's.
  const end = Date.now() + 60_000
  const windows: { from: number; to: number }[] = []
  let from = Math.max(since, end - limits.historyDays * dayMs + 3_600_000)
  while (from < end) {
    const to = Math.min(from + limits.windowDays * dayMs, end)
    windows.push({ from, to })
    from = to
  }
  return windows
}
