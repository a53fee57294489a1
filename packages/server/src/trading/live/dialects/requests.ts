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
    if (isTemporary(error) || !isCcxtError(error, 'BaseError')) throw error
    return undefined
  }
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
