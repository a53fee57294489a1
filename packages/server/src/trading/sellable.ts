/**
 * On spot, a bot can sell only the coins that its account has. If the books hold more than that, a close sells what is
 * there, and stays wanted for the rest.
 */

import { decimal, floorToStep, plain } from '../base/decimals.ts'
import { NoSuchMarket, VenueUnreachable } from '../market/price-source.ts'
import type { MarketRules } from '../market/rules.ts'
import { type PlannedOrder, planClose } from './plan.ts'
import type { BookedOrder, Books, Venue } from './types.ts'

/** `order`: what the account allows now; `null` if that is too little for an order. `reason`: why it is less than planned. */
export type Sellable = { order: PlannedOrder | null; reason: string | null }

/** `freeOf`: what the account has free of an asset. */
export type Seller = { books: Books; venue: Venue; freeOf?(asset: string): Promise<string> }

/**
 * Reads the account only if it may lack coins: if the books are known to differ from it, or after a refused close. So a
 * close normally costs no additional request. If the account cannot be read, the order stays as it is: the exchange
 * refuses what it cannot execute.
 */
export async function sellableNow(
  { books, venue, freeOf }: Seller,
  rules: MarketRules,
  order: PlannedOrder,
  orders: readonly BookedOrder[],
): Promise<Sellable> {
  const whole = { order, reason: null }
  if (order.purpose !== 'close' || rules.service !== 'spot' || freeOf === undefined) return whole
  const isRefused = orders.at(-1)?.status === 'REJECTED'
  const obstacle = (await books.openingObstacle?.(rules.symbol)) ?? null
  if (obstacle === null && !isRefused) return whole
  try {
    const free = await freeOf(rules.base)
    if (floorToStep(decimal(free, 'free balance'), decimal(rules.sizeStep)).gte(order.size)) return whole
    const price = await venue.price(rules.symbol).catch((error: unknown) => noPrice(error))
    const position = await books.position(rules.symbol)
    const reason = `The account has only ${plain(decimal(free))} ${rules.base} free, and the bot has to sell ${order.size} ${rules.base}.`
    return { order: planClose(position, rules, price, decimal(free)), reason }
  } catch (error) {
    if (error instanceof VenueUnreachable) return whole
    throw error
  }
}

function noPrice(error: unknown): null {
  if (error instanceof NoSuchMarket || error instanceof VenueUnreachable) return null
  throw error
}
