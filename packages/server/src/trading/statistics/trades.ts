/**
 * Turns the fills of a symbol, in the order in which the books counted them, into trades. A trade lasts from the first
 * fill of a position to the fill that closes it.
 *
 * The fills have the profit that the ledger realised with each. So the sum over all trades is the profit of the ledger,
 * to the last digit: a fill belongs to one trade, and one that reverses a position is split into two parts.
 */
import { Decimal, decimal, isPositive, isZero, zero } from '../../base/decimals.ts'
import type { FillKind } from '../../db/schema.ts'
import { type Holding, holdingAfter } from '../ledger.ts'
import { baseOf, isContract, quoteOf } from '../symbols.ts'
import type { Side } from '../types.ts'

/** A fill of the books. `realised` is its profit after its fee, in quote currency. */
export type BookedFill = {
  id: number
  orderId: number | null
  kind: FillKind
  symbol: string
  side: Side
  size: string
  price: string
  fee: string
  feeAsset: string
  realised: string
  filledAt: number
}

/** What entered or left a position by one order, or by one fill without an order. */
export type Move = { fillId: number; orderId: number | null; kind: FillKind; at: number }

/** From entry to exit of a position. Sizes are in base currency, money in quote currency, without signs. */
export type Trade = {
  /** The id of the fill that opened it. */
  id: number
  symbol: string
  side: 'long' | 'short'
  openedAt: number
  /** When a fill first left nothing, or only dust; `null` while it is open. A later fill may still take the dust. */
  closedAt: number | null
  /** The id of that fill. */
  closedBy: number | null
  /** Everything that entered, with what the trade took over as dust, and what was paid for it. */
  entered: Decimal
  entryValue: Decimal
  exited: Decimal
  exitValue: Decimal
  /** What is still held, and its cost. */
  rest: Decimal
  restCost: Decimal
  largest: Decimal
  /** Realised so far, before fees and funding. */
  gross: Decimal
  fees: Decimal
  /** Fees in assets whose price the books did not know, by asset. `fees` does not include them. */
  uncounted: ReadonlyMap<string, Decimal>
  /** The first and the latest moves, at most {@link mostMoves} of each, and how many there were. */
  entries: readonly Move[]
  entryCount: number
  latestEntry: Move
  exits: readonly Move[]
  exitCount: number
  /** The trade gets the payments from this time on. `null` for the first trade of its symbol, which gets all before. */
  paidFrom: number | null
}

/** A trade that another one of its symbol has followed. It changes no more. */
export type PastTrade = { trade: Trade /** When the payments of the next trade begin. */; paidUntil: number }

/** The part of a fill that belongs to a trade. */
export type Share = { trade: Trade; gross: Decimal; fees: Decimal }

/** A symbol after some of its fills. It never changes, so that it can be kept. */
export type SymbolBooks = { holding: Holding; trade: Trade | null }

export type Step = { books: SymbolBooks; shares: Share[]; past: PastTrade | null }

export const mostMoves = 20

/**
 * No order can close a remainder below the size step, and one day the next order adds to it. A trade that left at most
 * this part of its largest size is closed, and what is added then is a new trade, which takes the remainder over at its
 * cost.
 */
const dustPart = new Decimal('0.05')
/** Like the cost of a holding in the ledger. */
const feeDecimals = 24

export const noBooks: SymbolBooks = { holding: { size: zero, cost: zero }, trade: null }

/** Counts the next fill of a symbol. */
export function countFill({ holding: before, trade }: SymbolBooks, fill: BookedFill): Step {
  const price = decimal(fill.price, 'price')
  const change = changeOf(fill)
  const after = holdingAfter(before, change, price)
  const gross = after.cost.minus(before.cost).minus(change.times(price))
  const fees = gross.minus(decimal(fill.realised, 'realised'))
  const counted = { fill, price, gross, fees }
  if (trade === null || isZero(before.size)) {
    const next = opened(trade, { ...counted, quantity: after.size.abs(), holding: after })
    return stepTo(after, next, [{ trade: next, gross, fees }], trade)
  }
  if (!isZero(after.size) && after.size.s !== before.size.s) return reversed(before, after, trade, counted)
  const growth = after.size.abs().minus(before.size.abs())
  if (isPositive(growth) && trade.closedAt !== null) {
    const taken = { ...counted, quantity: growth, holding: after, dust: before }
    const next = opened(trade, taken)
    return stepTo(after, next, [{ trade: next, gross, fees }], trade)
  }
  const next = changed(trade, { ...counted, growth, holding: after })
  return stepTo(after, next, [{ trade: next, gross, fees }], null)
}

/** Profit after fees, without funding. */
export function netOf({ gross, fees }: Pick<Trade, 'gross' | 'fees'>): Decimal {
  return gross.minus(fees)
}

/** The average price at which it was entered or left; `null` if nothing was. */
export function averageOf(value: Decimal, size: Decimal): Decimal | null {
  return isZero(size) ? null : value.div(size)
}

type Counted = { fill: BookedFill; price: Decimal; gross: Decimal; fees: Decimal }

/** The change of the holding. On spot, an exchange takes a fee in base currency out of the holding, as in the ledger. */
function changeOf({ symbol, side, size, fee, feeAsset }: BookedFill): Decimal {
  const traded = decimal(size, 'size')
  const bought = side === 'buy' ? traded : traded.neg()
  const isInKind = !isContract(symbol) && feeAsset === baseOf(symbol)
  return isInKind ? bought.minus(decimal(fee, 'fee')) : bought
}

function stepTo(holding: Holding, trade: Trade, shares: Share[], before: Trade | null): Step {
  const past = before === null ? null : { trade: before, paidUntil: trade.paidFrom! }
  return { books: { holding, trade }, shares, past }
}

/** One fill closes a position and opens the opposite one. Its fee is split by size. */
function reversed(
  before: Holding,
  after: Holding,
  trade: Trade,
  { fill, price, gross, fees }: Counted,
): Step {
  const [closed, opening] = [before.size.abs(), after.size.abs()]
  const grossOfClose = before.size.times(price).minus(before.cost)
  const feesOfClose = fees.times(closed).div(closed.plus(opening)).round(feeDecimals, Decimal.roundHalfUp)
  const close = { fill, price, gross: grossOfClose, fees: feesOfClose }
  // A fee that the books could not count is one of the closed trade.
  const rest = { ...fill, fee: '0' }
  const open = { fill: rest, price, gross: gross.minus(grossOfClose), fees: fees.minus(feesOfClose) }
  const ended = changed(trade, { ...close, growth: closed.neg(), holding: noBooks.holding })
  const next = opened(ended, { ...open, quantity: opening, holding: after })
  const shares = [
    { trade: ended, gross: close.gross, fees: close.fees },
    { trade: next, gross: open.gross, fees: open.fees },
  ]
  return stepTo(after, next, shares, ended)
}

type Opening = Counted & { quantity: Decimal; holding: Holding; dust?: Holding }

function opened(former: Trade | null, { fill, price, gross, fees, quantity, holding, dust }: Opening): Trade {
  // A fee may take all that was bought, and leave nothing.
  const isNothing = isZero(holding.size)
  const isLong = isNothing ? fill.side === 'buy' : isPositive(holding.size)
  const [taken, takenCost] = dust === undefined ? [zero, zero] : [dust.size.abs(), dust.cost.abs()]
  return {
    id: fill.id,
    symbol: fill.symbol,
    side: isLong ? 'long' : 'short',
    openedAt: fill.filledAt,
    closedAt: isNothing ? fill.filledAt : null,
    closedBy: isNothing ? fill.id : null,
    entered: taken.plus(quantity),
    entryValue: takenCost.plus(quantity.times(price)),
    exited: zero,
    exitValue: zero,
    rest: holding.size.abs(),
    restCost: holding.cost.abs(),
    largest: holding.size.abs(),
    gross,
    fees,
    uncounted: withUncounted(new Map(), fill, fees),
    entries: [moveOf(fill)],
    entryCount: 1,
    latestEntry: moveOf(fill),
    exits: [],
    exitCount: 0,
    // Exchanges report fills late, too: their times need not increase. Those of payments still have one trade each.
    paidFrom: former === null ? null : Math.max(fill.filledAt, former.paidFrom ?? former.openedAt),
  }
}

type Change = Counted & { /** Of the size; negative for an exit. */ growth: Decimal; holding: Holding }

function changed(trade: Trade, { fill, price, gross, fees, growth, holding }: Change): Trade {
  const next: Trade = {
    ...trade,
    rest: holding.size.abs(),
    restCost: holding.cost.abs(),
    gross: trade.gross.plus(gross),
    fees: trade.fees.plus(fees),
    uncounted: withUncounted(trade.uncounted, fill, fees),
  }
  if (isPositive(growth)) {
    const largest = next.rest.gt(trade.largest) ? next.rest : trade.largest
    const isSame = isSameOrder(trade.latestEntry, fill)
    return {
      ...next,
      largest,
      entered: trade.entered.plus(growth),
      entryValue: trade.entryValue.plus(growth.times(price)),
      entries:
        isSame || trade.entries.length === mostMoves ? trade.entries : [...trade.entries, moveOf(fill)],
      entryCount: trade.entryCount + (isSame ? 0 : 1),
      latestEntry: moveOf(fill),
    }
  }
  if (isZero(growth)) return next
  const exited = growth.neg()
  const isClosing = trade.closedAt === null && next.rest.lte(trade.largest.times(dustPart))
  const isSame = isSameOrder(trade.exits.at(-1), fill)
  const others = isSame ? trade.exits.slice(0, -1) : trade.exits
  return {
    ...next,
    closedAt: isClosing ? fill.filledAt : trade.closedAt,
    closedBy: isClosing ? fill.id : trade.closedBy,
    exited: trade.exited.plus(exited),
    exitValue: trade.exitValue.plus(exited.times(price)),
    exits: [...others, moveOf(fill)].slice(-mostMoves),
    exitCount: trade.exitCount + (isSame ? 0 : 1),
  }
}

function moveOf({ id, orderId, kind, filledAt }: BookedFill): Move {
  return { fillId: id, orderId, kind, at: filledAt }
}

function isSameOrder(last: Move | undefined, { orderId }: BookedFill): boolean {
  return last !== undefined && orderId !== null && last.orderId === orderId
}

/** The ledger counts a fee without a known price as nothing. */
function withUncounted(
  known: ReadonlyMap<string, Decimal>,
  { symbol, fee, feeAsset }: BookedFill,
  counted: Decimal,
): ReadonlyMap<string, Decimal> {
  if (!isZero(counted) || feeAsset === quoteOf(symbol) || feeAsset === baseOf(symbol)) return known
  const amount = decimal(fee, 'fee')
  if (isZero(amount)) return known
  return new Map(known).set(feeAsset, (known.get(feeAsset) ?? zero).plus(amount))
}
