/**
 * How executions change a position and its profit. An execution moves cash and changes the cost of the holding:
 *
 *     realised profit = change of cash + change of the cost of the holding
 *
 * For example, a purchase of 1 at 100 with a fee of 0.1 moves -100.1 of cash and +100 of cost, so it realises -0.1: the
 * fee. A sale at 130 moves +129.87 of cash and -100 of cost, so it realises 29.87. The cost of a short is negative: it
 * is the money that the sale brought.
 *
 * So over any sequence of executions, to the last digit: money received - money paid = realised profit - cost of the
 * holding. The books round only the cost. The difference from rounding is realised with the execution, so none is lost.
 */
import { Decimal, decimal, isZero, plain, zero } from '../base/decimals.ts'
import type { BookingTerms, Execution, Position, Side } from './types.ts'

/**
 * Decimals of the cost of a holding. The books do not store the cost itself but the average price, with enough decimals
 * to calculate the exact cost from price and size. At most the 48 decimals of a division are necessary, for any size
 * below 10^23 units.
 */
const costDecimals = 24
const shortPriceDecimals = [18, 24, 36]

export type Applied = {
  position: Position
  /** Profit of this execution in quote currency, after its fee. An opening realises a loss of its fee. */
  realised: string
  /** The fee in quote currency. `null` for a fee in an asset without a known price: `realised` does not include it. */
  fee: string | null
}

/** The position before the first execution. */
export function flatPosition(): Position {
  return {
    side: null,
    size: '0',
    entryPrice: null,
    realised: '0',
    fees: '0',
    openedAt: null,
    lastLossAt: null,
  }
}

/** The money paid for a holding (for a short: the money that its sale brought), in quote currency, without fees. */
export function costOf(position: Pick<Position, 'size' | 'entryPrice'>): string {
  return plain(unsignedCost(position))
}

/** The profit that closing at a price would realise, in quote currency, before fees. Negative for a loss. */
export function unrealised(position: Position, price: string): string {
  if (position.side === null) return '0'
  const notional = decimal(position.size, 'size').times(decimal(price, 'price'))
  const gain = notional.minus(unsignedCost(position))
  return plain(position.side === 'long' ? gain : gain.neg())
}

/** The average price of executions, weighted by size; `null` without executions. */
export function averagePrice(executions: readonly Pick<Execution, 'size' | 'price'>[]): string | null {
  let size = zero
  let notional = zero
  for (const execution of executions) {
    size = size.plus(execution.size)
    notional = notional.plus(decimal(execution.size).times(execution.price))
  }
  return size.eq('0') ? null : plain(notional.div(size))
}

/**
 * Counts one execution of an order. It can open a position, add to it, reduce it or close it. If it executes more than
 * the position held, the excess opens a position on the other side, at the price of the execution.
 * @throws {RangeError} if an amount is not a number, or size or price is not above zero
 */
export function applyExecution(
  position: Position,
  execution: Execution,
  side: Side,
  terms: BookingTerms,
): Applied {
  const size = positive(execution.size, 'size')
  const price = positive(execution.price, 'price')
  const fee = feeOf(execution, price, terms)
  const bought = side === 'buy' ? size : size.neg()
  const before = holdingOf(position)
  const after = holdingAfter(before, bought.minus(fee.inBase), price)
  const cash = bought.times(price).neg().minus(fee.cash)
  const realised = cash.plus(after.cost).minus(before.cost)
  const isReducing = before.size.s !== bought.s && !before.size.eq('0')
  return {
    position: {
      ...averaged(after),
      realised: plain(decimal(position.realised).plus(realised)),
      fees: plain(decimal(position.fees).plus(fee.inQuote ?? zero)),
      openedAt: openedAt(position, after, execution.filledAt),
      lastLossAt: isReducing && realised.lt('0') ? execution.filledAt : position.lastLossAt,
    },
    realised: plain(realised),
    fee: fee.inQuote && plain(fee.inQuote),
  }
}

/**
 * Counts money that a position received without an execution, such as funding; negative if it paid. It realises exactly
 * that, so money received - money paid stays equal to realised profit - cost of the holding.
 */
export function applyPayment(position: Position, value: Decimal): Position {
  return { ...position, realised: plain(decimal(position.realised).plus(value)) }
}

/** Both are signed: above zero for a long, below zero for a short. */
export type Holding = { size: Decimal; cost: Decimal }

function holdingOf(position: Position): Holding {
  if (position.side === null) return { size: zero, cost: zero }
  const size = decimal(position.size, 'size')
  const cost = unsignedCost(position)
  return position.side === 'long' ? { size, cost } : { size: size.neg(), cost: cost.neg() }
}

/**
 * A holding after its size changed at a price. Adding adds the cost of the new part. Reducing keeps the same share of
 * the cost as of the size, so the average price stays. A holding that changes sides costs what its excess costs.
 */
export function holdingAfter({ size, cost }: Holding, change: Decimal, price: Decimal): Holding {
  const next = size.plus(change)
  if (isZero(next)) return { size: zero, cost: zero }
  const isAdding = isZero(size) || size.s === change.s || isZero(change)
  if (isAdding) return { size: next, cost: rounded(cost.plus(change.times(price))) }
  if (next.s !== size.s) return { size: next, cost: rounded(next.times(price)) }
  return { size: next, cost: rounded(cost.times(next).div(size)) }
}

/** A cost with the decimals that the books keep. The caller realises the difference. */
function rounded(value: Decimal): Decimal {
  return value.round(costDecimals, Decimal.roundHalfUp)
}

function unsignedCost({ size, entryPrice }: Pick<Position, 'size' | 'entryPrice'>): Decimal {
  if (entryPrice === null) return zero
  return rounded(decimal(entryPrice, 'entry price').times(decimal(size, 'size')))
}

function averaged({ size, cost }: Holding): Pick<Position, 'side' | 'size' | 'entryPrice'> {
  if (size.eq('0')) return { side: null, size: '0', entryPrice: null }
  const side = size.gt('0') ? 'long' : 'short'
  return { side, size: plain(size.abs()), entryPrice: plain(averageOf({ size, cost })) }
}

/** The average price with the fewest decimals from which the exact cost can be calculated again. */
function averageOf({ size, cost }: Holding): Decimal {
  const average = cost.div(size)
  const candidates = shortPriceDecimals.map((decimals) => average.round(decimals, Decimal.roundHalfUp))
  return candidates.find((price) => rounded(price.times(size)).eq(cost)) ?? average
}

function openedAt(before: Position, after: Holding, filledAt: number): number | null {
  if (after.size.eq('0')) return null
  const isSame = before.side === (after.size.gt('0') ? 'long' : 'short')
  return isSame ? before.openedAt : filledAt
}

/**
 * A fee reduces either the holding (`inBase`) or the cash (`cash`, in quote currency). `inQuote` is its value in quote
 * currency in both cases, or `null` if that is unknown.
 */
type Fee = { inBase: Decimal; cash: Decimal; inQuote: Decimal | null }

/**
 * On spot, an exchange takes a fee in base currency out of the bought size. In all other cases, a fee is money. A fee in
 * an asset without a known price counts as nothing; the fill records it in that asset.
 */
function feeOf({ fee: text, feeAsset }: Execution, price: Decimal, terms: BookingTerms): Fee {
  const fee = decimal(text, 'fee')
  if (feeAsset === terms.quote) return { inBase: zero, cash: fee, inQuote: fee }
  if (feeAsset === terms.base) {
    const value = fee.times(price)
    if (terms.service === 'spot') return { inBase: fee, cash: zero, inQuote: value }
    return { inBase: zero, cash: value, inQuote: value }
  }
  const rate = Object.hasOwn(terms.feeRates, feeAsset) ? terms.feeRates[feeAsset] : undefined
  if (rate === undefined) {
    return { inBase: zero, cash: zero, inQuote: fee.eq('0') ? zero : null }
  }
  const value = fee.times(decimal(rate, 'rate'))
  return { inBase: zero, cash: value, inQuote: value }
}

function positive(text: string, name: string): Decimal {
  const value = decimal(text, name)
  if (!value.gt('0')) throw new RangeError(`${name} must be above zero, got "${text.slice(0, 40)}".`)
  return value
}
