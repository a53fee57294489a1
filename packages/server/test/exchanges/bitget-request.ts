import Big from 'big.js'
import type { Reply, StandInMarket } from './stand-in.ts'
import type { AccountBook, BookMarket, BookOrder, NewOrder, Refusal } from './trading.ts'

export type BitgetMarket = StandInMarket & { product: string; base: string; quote: string }
export type Clock = { now(): number }
/** What an answer needs. `sent` are the fields of the query or of the body. */
export type Request = {
  sent: Record<string, string>
  markets: readonly BitgetMarket[]
  clock: Clock
  book: AccountBook
  key: string
}

const sizeSteps: Record<string, string> = {
  SPOT: '0.0001',
  'USDT-FUTURES': '0.001',
  'USDC-FUTURES': '0.001',
}
const leastWorth = 5

export function success(clock: Clock, data: unknown): Reply {
  return { json: { code: '00000', msg: 'success', requestTime: clock.now(), data } }
}

export function failure(clock: Clock, code: string, msg: string, status = 400): Reply {
  return { status, json: { code, msg, requestTime: clock.now(), data: null } }
}

export function marketOf({ markets, sent }: Request, product: string): BitgetMarket | undefined {
  return markets.find((market) => market.product === product && market.id === sent.symbol)
}

export function bookMarketOf({ symbol, base, quote, product }: BitgetMarket): BookMarket {
  return { symbol, base, quote, isContract: product !== 'SPOT' }
}

/** What is wrong with the type, price and size of an order, if anything. */
export function orderFault(
  market: BitgetMarket,
  order: { size: string; side: string; type: string; price: string; force: string; isClose: boolean },
  { book, clock }: Request,
): Reply | undefined {
  const no = (code: string, msg: string) => failure(clock, code, msg)
  const { size, side, type, price, force, isClose } = order
  if (market.product === 'SPOT' && side === 'buy' && type === 'market')
    return no('43008', 'size is in quote currency')
  const last = book.price(market.symbol)
  const mayRest = restsAs(force) && new Big(price).gt(0)
  if (type === 'limit' && !mayRest && (force.toLowerCase() !== 'ioc' || new Big(price).lt(last)))
    return no('43011', 'The parameter does not meet the specification')
  const step = sizeSteps[market.product] as string
  if (new Big(size).lte(0) || !new Big(size).mod(step).eq(0))
    return no('40808', 'Parameter verification: size')
  if (!isClose && new Big(size).times(last).lt(leastWorth))
    return no('45110', 'less than the minimum amount 5 USDT')
  return undefined
}

/** Whether a limit order with this `force` rests. */
export function restsAs(force: string): boolean {
  return force === 'gtc' || force === 'post_only'
}

/** Trades and orders since and until the times of the query, with the latest first. */
export function within({ sent }: Request) {
  const { startTime = '0', endTime = String(Number.MAX_SAFE_INTEGER) } = sent
  return (at: number) => at >= Number(startTime) && at <= Number(endTime)
}

export function worthOf({ size, price }: { size: string; price: string }): string {
  return new Big(size).times(price).toFixed()
}

/** Bitget accepts a post-only order that would be executed at once, and cancels it. */
export function placeOrEnd(book: AccountBook, market: BookMarket, wanted: NewOrder): BookOrder | Refusal {
  const placed = book.place(market, wanted)
  return placed === 'takes' ? book.placeEnded(market, wanted, '') : placed
}

export function updatedAt({ at, trades, endedAt = at }: BookOrder): number {
  return Math.max(endedAt, trades.at(-1)?.at ?? at)
}
