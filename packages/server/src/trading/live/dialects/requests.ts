import { isCcxtError } from '../../../market/live/ccxt-exchange.ts'
import type { CcxtAccount, CcxtTrade } from '../../../market/live/ccxt-trading.ts'
import type { TradeKind } from '../../account.ts'
import { isTemporary } from '../temporary-errors.ts'

type Requests = Record<string, (params: object) => Promise<unknown>>

/**
 * Sends one of the exchange's own requests, by ccxt's name of it, such as `fapiPrivateGetForceOrders`. The numbers in the
 * answer are text.
 * @throws the errors of ccxt
 */
export async function request<T>(account: CcxtAccount, name: string, params: object = {}): Promise<T> {
  const send = (account as unknown as Requests)[name]
  if (send === undefined) throw new Error(`ccxt has no request ${name}.`)
  return withTextNumbers(await send.call(account, params)) as T
}

/** ccxt makes numbers text only in an answer with a number that JavaScript could not represent. */
function withTextNumbers(answer: unknown): unknown {
  if (typeof answer === 'number') return String(answer)
  if (Array.isArray(answer)) return answer.map(withTextNumbers)
  if (typeof answer !== 'object' || answer === null) return answer
  return Object.fromEntries(Object.entries(answer).map(([name, value]) => [name, withTextNumbers(value)]))
}

/** `undefined` if the exchange refuses the question for good: it does not know it, or not every key may ask it. */
export async function unlessRefused<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (isTemporary(error)) throw error
    return undefined
  }
}

type Params = Record<string, unknown>

/**
 * Sends a request by ccxt's name for it, such as `privateUtaGetV3AccountSettings`, with its signature and rate limit.
 * @returns the exchange's answer @throws the errors of ccxt
 */
export async function ask<T>(account: CcxtAccount, name: string, params: Params = {}): Promise<T> {
  return request<T>(account, name, params)
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

/** Writes into a trade how it came about, for exchanges that do not say it there. `kindOf` reads it. */
export function withKind(trade: CcxtTrade, tradeKind: TradeKind): CcxtTrade {
  return { ...trade, info: { ...(trade.info as object), tradeKind } }
}

export function kindOf({ info }: CcxtTrade): TradeKind {
  return (info as { tradeKind?: TradeKind }).tradeKind ?? 'order'
}

/** The trades of a symbol, from trades of the whole account. */
export function ofSymbol<T extends { symbol?: string | undefined }>(list: T[], symbol: string): T[] {
  return list.filter((one) => one.symbol === symbol)
}
