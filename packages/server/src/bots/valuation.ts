import { decimal, plain, zero } from '../base/decimals.ts'
import type { positions } from '../db/schema.ts'
import { flatPosition, unrealised } from '../trading/ledger.ts'

type Position = typeof positions.$inferSelect

/** Current prices; `null` if there is none. */
export type PriceLookUp = {
  latest(market: { exchangeId: number; priceSymbol: string }): number | null
}

/** A position with its current price and unrealised profit, before fees. Both are `null` without a price. */
export type ValuedPosition = Position & { price: string | null; unrealised: string | null }

/** `balance` is `null` while the start balance is unknown. `equity` is `balance` plus the unrealised profit of all open positions; `null` if one has no price. */
export type Balance<P = ValuedPosition> = { balance: string | null; equity: string | null; open: P[] }

/** The current price of a symbol, in quote currency. The request makes the service subscribe to it. */
export function currentPrice(prices: PriceLookUp, exchangeId: number, symbol: string): string | null {
  const quote = prices.latest({ exchangeId, priceSymbol: symbol })
  return quote === null ? null : plain(decimal(String(quote)))
}

export function valued(position: Position, exchangeId: number, prices: PriceLookUp): ValuedPosition {
  const { side, size, entryPrice } = position
  // A closed position needs no price, and the request would make the service subscribe to it.
  if (side === null) return { ...position, price: null, unrealised: '0' }
  const price = currentPrice(prices, exchangeId, position.symbol)
  if (price === null) return { ...position, price: null, unrealised: null }
  return { ...position, price, unrealised: unrealised({ ...flatPosition(), side, size, entryPrice }, price) }
}

/** @param positions all positions of a bot, including closed ones, because their profit is part of the balance */
export function balanceOf<P extends ValuedPosition>(
  startBalance: string | null,
  positions: readonly P[],
): Balance<P> {
  const open = positions.filter(({ side }) => side !== null)
  if (startBalance === null) return { balance: null, equity: null, open }
  const balance = positions.reduce((sum, { realised }) => sum.plus(decimal(realised)), decimal(startBalance))
  const hasPrices = open.every((position) => position.unrealised !== null)
  const gain = open.reduce((sum, position) => sum.plus(decimal(position.unrealised ?? '0')), zero)
  return { balance: plain(balance), equity: hasPrices ? plain(balance.plus(gain)) : null, open }
}
