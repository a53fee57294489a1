/**
 * What executions make of a position. The rule that everything follows from: what is realised is what cash and the
 * cost of the holding do not explain. So over any sequence of executions the cash that was paid and received is
 * realised profit less the cost of what is still held (for a short: plus what it was sold for), to the last digit.
 */
import { Decimal, decimal, plain, zero } from '../base/decimals.ts'
import type { BookingTerms, Execution, Position, Side } from './types.ts'

/**
 * Decimals of the cost of a holding. The books keep its average price, with as many decimals as it takes to find the
 * cost again exactly from price and size: at most the 48 of a division, enough for any size below 10^23 units.
 */
const costDecimals = 24
const shortPriceDecimals = [18, 24, 36]

export type Applied = {
  position: Position
  /** By this execution, in quote currency, after its fee; negative for a loss, or for an opening's fee. */
  realised: string
  /** What the fee was worth in quote currency; `null` for an asset without a known rate, which `realised` leaves out. */
  fee: string | null
}

/** Before the first execution. */
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

/** What was paid for a holding (for a short: what it was sold for), in quote currency, without fees. */
export function costOf(position: Pick<Position, 'size' | 'entryPrice'>): string {
  return plain(cost(position))
}

/** What would be realised by closing at a price, before fees; negative for a loss. */
export function unrealised(position: Position, price: string): string {
  if (position.side === null) return '0'
  const worth = decimal(position.size, 'size').times(decimal(price, 'price'))
  const gain = worth.minus(cost(position))
  return plain(position.side === 'long' ? gain : gain.neg())
}

/** The average of executions, by size; `null` of none. */
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
 * Counts one execution of an order. It may open, add, reduce, close, and even turn a position around: what goes
 * beyond zero opens the other way at the price of the execution.
 * @throws {RangeError} when an amount is no number, or size or price is not above zero
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
  const after = moved(before, bought.minus(fee.inKind), price)
  const cash = bought.times(price).neg().minus(fee.inCash)
  const realised = cash.plus(after.value).minus(before.value)
  const isReducing = before.size.s !== bought.s && !before.size.eq('0')
  return {
    position: {
      ...sides(after),
      realised: plain(decimal(position.realised).plus(realised)),
      fees: plain(decimal(position.fees).plus(fee.inQuote ?? zero)),
      openedAt: openedAt(position, after, execution.filledAt),
      lastLossAt: isReducing && realised.lt('0') ? execution.filledAt : position.lastLossAt,
    },
    realised: plain(realised),
    fee: fee.inQuote && plain(fee.inQuote),
  }
}

/** Signed: above zero for a long, below for a short. `value` is at cost. */
type Holding = { size: Decimal; value: Decimal }

function holdingOf(position: Position): Holding {
  if (position.side === null) return { size: zero, value: zero }
  const size = decimal(position.size, 'size')
  const value = cost(position)
  return position.side === 'long' ? { size, value } : { size: size.neg(), value: value.neg() }
}

/** A holding after something came in (or went out, below zero) at a price. */
function moved({ size, value }: Holding, change: Decimal, price: Decimal): Holding {
  const next = size.plus(change)
  if (next.eq('0')) return { size: zero, value: zero }
  const isAdding = size.eq('0') || size.s === change.s || change.eq('0')
  if (isAdding) return { size: next, value: kept(value.plus(change.times(price))) }
  if (next.s !== size.s) return { size: next, value: kept(next.times(price)) }
  return { size: next, value: kept(value.times(next).div(size)) }
}

/** Rounded to what the books keep. The difference is realised, so nothing is ever lost. */
function kept(value: Decimal): Decimal {
  return value.round(costDecimals, Decimal.roundHalfUp)
}

function cost({ size, entryPrice }: Pick<Position, 'size' | 'entryPrice'>): Decimal {
  if (entryPrice === null) return zero
  return kept(decimal(entryPrice, 'entry price').times(decimal(size, 'size')))
}

function sides({ size, value }: Holding): Pick<Position, 'side' | 'size' | 'entryPrice'> {
  if (size.eq('0')) return { side: null, size: '0', entryPrice: null }
  const side = size.gt('0') ? 'long' : 'short'
  return { side, size: plain(size.abs()), entryPrice: plain(averageOf({ size, value })) }
}

function averageOf({ size, value }: Holding): Decimal {
  const average = value.div(size)
  const rounded = shortPriceDecimals.map((decimals) => average.round(decimals, Decimal.roundHalfUp))
  return rounded.find((price) => kept(price.times(size)).eq(value)) ?? average
}

function openedAt(before: Position, after: Holding, filledAt: number): number | null {
  if (after.size.eq('0')) return null
  const isSame = before.side === (after.size.gt('0') ? 'long' : 'short')
  return isSame ? before.openedAt : filledAt
}

type Fee = { inKind: Decimal; inCash: Decimal; inQuote: Decimal | null }

/**
 * On spot a fee in base currency is taken out of the holding itself. Everywhere else it is money, and in an asset that
 * nobody knows the price of it is recorded with the fill alone.
 */
function feeOf({ fee: text, feeAsset }: Execution, price: Decimal, terms: BookingTerms): Fee {
  const fee = decimal(text, 'fee')
  if (feeAsset === terms.quote) return { inKind: zero, inCash: fee, inQuote: fee }
  if (feeAsset === terms.base) {
    const worth = fee.times(price)
    if (terms.service === 'spot') return { inKind: fee, inCash: zero, inQuote: worth }
    return { inKind: zero, inCash: worth, inQuote: worth }
  }
  const rate = Object.hasOwn(terms.feeRates, feeAsset) ? terms.feeRates[feeAsset] : undefined
  if (rate === undefined) {
    return { inKind: zero, inCash: zero, inQuote: fee.eq('0') ? zero : null }
  }
  const worth = fee.times(decimal(rate, 'rate'))
  return { inKind: zero, inCash: worth, inQuote: worth }
}

function positive(text: string, name: string): Decimal {
  const value = decimal(text, name)
  if (!value.gt('0')) throw new RangeError(`${name} must be above zero, got "${text.slice(0, 40)}".`)
  return value
}
