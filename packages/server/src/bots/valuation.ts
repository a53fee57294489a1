import { decimal, plain, zero } from '../base/decimals.ts'
import type { positions } from '../db/schema.ts'
import { flatPosition, unrealised } from '../trading/ledger.ts'

type Position = typeof positions.$inferSelect

/** Prices at hand; `null` where there is none. */
export type PriceLookUp = {
  latest(market: { exchangeId: number; priceSymbol: string }): number | null
}

/** A position with what closing it now would realise, before fees; both `null` where no price is at hand. */
export type ValuedPosition = Position & { price: string | null; unrealised: string | null }

/** `equity` is `balance` and what all open positions are worth besides; `null` where one has no price. */
export type Balance = { balance: string; equity: string | null; open: ValuedPosition[] }

export function valued(position: Position, exchangeId: number, prices: PriceLookUp): ValuedPosition {
  const { side, size, entryPrice } = position
  // Nobody needs the price of what is not held, and asking has it watched.
  if (side === null) return { ...position, price: null, unrealised: '0' }
  const known = prices.latest({ exchangeId, priceSymbol: position.symbol })
  if (known === null) return { ...position, price: null, unrealised: null }
  const price = plain(decimal(String(known)))
  return { ...position, price, unrealised: unrealised({ ...flatPosition(), side, size, entryPrice }, price) }
}

/** @param positions all of one bot, those that are closed included: they made their part of the balance */
export function balanceOf(startBalance: string, positions: readonly ValuedPosition[]): Balance {
  const balance = positions.reduce((sum, { realised }) => sum.plus(decimal(realised)), decimal(startBalance))
  const open = positions.filter(({ side }) => side !== null)
  const hasPrices = open.every((position) => position.unrealised !== null)
  const gain = open.reduce((sum, position) => sum.plus(decimal(position.unrealised ?? '0')), zero)
  return { balance: plain(balance), equity: hasPrices ? plain(balance.plus(gain)) : null, open }
}
