import { orderSizeProblem } from '@tickwright/sandbox'
import { decimal, plain } from '../../base/decimals.ts'
import type { PayloadReader } from '../payload-reader.ts'
import type { AlertOrder } from './format.ts'
import type { Position } from './words.ts'

/** How much a payload asks for. `field`: where it says so. */
export type AskedAmount = { value: number; unit: 'base' | 'quote'; at: PayloadReader; field: string }

export type ReadPrice = () => number | undefined

/** What a payload says of an order. */
export type Wish = {
  side: 'buy' | 'sell' | undefined
  /** The position that the sender has after its order. It takes precedence over `side`. */
  position?: Position | undefined
  previous?: Position | undefined
  /** How large that position is then, in base currency, and where the payload says or should say so. */
  positionSize?: { value: number | undefined; field: string }
  amount?: AskedAmount | undefined
  /** Reads the price of the payload, in quote currency, if it is needed: it converts amounts. */
  price: ReadPrice
  /** Whether the amount is that of an order of the chart: in a reversal, it includes the close of the old position. */
  countsOrder?: boolean
}

type Unplaced = { side: PayloadReader; field: string }

/**
 * The order that a payload asks for. Charts tell orders and the position after them; bots follow positions:
 *
 * - flat: the bot closes all that it has;
 * - an order against the position that stays: a part of it is closed, and nothing else is ever opened;
 * - an order that makes the position larger adds to it;
 * - a reversal opens as much as the new position is, not as the order is.
 * @param where the field that says which side the order is on
 * @returns `undefined` if the payload does not say enough; then it is refused, by name
 */
export function orderOf(wish: Wish, where: Unplaced): AlertOrder | undefined {
  const { side, position, price } = wish
  if (position === 'flat') return { action: 'EXIT', options: {} }
  const opened = position ?? sideOf(side)
  if (opened === undefined) return undefined
  if (side !== undefined && sideOf(side) !== opened) return reduction(wish, opened, where)
  const action = opened === 'long' ? 'LONG' : 'SHORT'
  const { amount, previous } = wish
  if (amount === undefined) {
    const adds = side !== undefined && previous === opened
    return { action, options: adds ? { dilution: true } : {} }
  }
  const opening = openingOf({ ...wish, amount }, opened)
  if (opening === undefined) return undefined
  const { value, adds } = opening
  return { action, options: { ...sizeOf({ ...amount, value }, price), ...(adds && { dilution: true }) } }
}

/** A close of as much as the payload says, or of everything. @param closes the side that it closes; absent: any */
export function exitOf(
  amount: AskedAmount | undefined,
  price: ReadPrice,
  closes?: 'long' | 'short',
): AlertOrder | undefined {
  const side = closes === undefined ? {} : { closes }
  if (amount === undefined) return { action: 'EXIT', options: side }
  const size = amount.unit === 'base' ? amount.value : inBase(amount, price)
  // A bot with amounts of its own must not close everything instead.
  return size === undefined ? undefined : { action: 'EXIT', options: { size, forceSize: true, ...side } }
}

/** An opening for as much as the payload says. */
export function openingOrder(
  opened: 'long' | 'short',
  amount: AskedAmount | undefined,
  price: ReadPrice,
  adds = false,
): AlertOrder {
  const size = amount === undefined ? {} : sizeOf(amount, price)
  return {
    action: opened === 'long' ? 'LONG' : 'SHORT',
    options: { ...size, ...(adds && { dilution: true }) },
  }
}

function reduction({ amount, price }: Wish, held: 'long' | 'short', where: Unplaced): AlertOrder | undefined {
  if (amount === undefined) {
    where.side.refuse(where.field, `closes a part of a ${held}, so the payload must say how much`)
    return undefined
  }
  return exitOf(amount, price, held)
}

/** How much an order opens, and whether it adds to what was there. */
function openingOf(
  { previous, positionSize, amount, countsOrder = false }: Wish & { amount: AskedAmount },
  opened: 'long' | 'short',
): { value: number; adds: boolean } | undefined {
  const { value } = amount
  if (!countsOrder || amount.unit === 'quote') return { value, adds: previous === opened }
  const after = positionSize?.value
  if (after !== undefined) {
    // Charts calculate with floating point.
    const isSame = Math.abs(value - after) <= 1e-9 * Math.max(value, after)
    return isSame ? { value, adds: false } : { value: Math.min(value, after), adds: value < after }
  }
  if (previous === 'flat' || previous === opened) return { value, adds: previous === opened }
  const field = positionSize?.field ?? 'market_position_size'
  amount.at.refuse(
    amount.field,
    `counts the close of an opposite position, too, so the payload must also say the position after it: ${field}`,
  )
  return undefined
}

/**
 * The size of an opening. An amount in base currency becomes one in quote currency at the payload's price. Without a
 * price, it stays in base currency, and the signal says so.
 */
function sizeOf(asked: AskedAmount, readPrice: ReadPrice): AlertOrder['options'] {
  const { value, unit } = asked
  const price = unit === 'quote' ? undefined : readPrice()
  if (price === undefined) return { size: value, sizeUnit: unit }
  const size = checked(asked, decimal(String(value)).times(decimal(String(price))))
  return size === undefined ? {} : { size, sizeUnit: 'quote' }
}

function inBase(asked: AskedAmount, readPrice: ReadPrice): number | undefined {
  const price = readPrice()
  if (price !== undefined) return checked(asked, decimal(String(asked.value)).div(decimal(String(price))))
  asked.at.refuse(asked.field, 'is in quote currency, so a close needs the price, too')
  return undefined
}

/** A converted amount may be one that no order can have. */
function checked({ at, field }: AskedAmount, converted: ReturnType<typeof decimal>): number | undefined {
  const size = Number(plain(converted))
  const problem = orderSizeProblem(size)
  if (problem === null) return size
  at.refuse(field, `${problem} at the price of the payload`)
  return undefined
}

function sideOf(side: Wish['side']): 'long' | 'short' | undefined {
  if (side === undefined) return undefined
  return side === 'buy' ? 'long' : 'short'
}
