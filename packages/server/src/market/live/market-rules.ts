import { decimal, plain, zero } from '../../base/decimals.ts'
import { NoSuchMarket } from '../price-source.ts'
import type { MarketRules } from '../rules.ts'
import type { CcxtTradedMarket } from './ccxt-trading.ts'

/**
 * The rules of a market for orders, in base currency.
 * @throws {NoSuchMarket} if the size of an order cannot be given in base currency
 */
export function rulesOf(market: CcxtTradedMarket): MarketRules {
  const { symbol, base, quote, limits, precision } = market
  const isContract = market.contract === true
  if (isContract && market.linear !== true) {
    throw new NoSuchMarket(
      `${symbol} is settled in ${market.settle ?? base}. Bots trade futures that are settled in their quote currency.`,
    )
  }
  if (isContract && market.settle !== quote) {
    throw new NoSuchMarket(
      `${symbol} is settled in ${market.settle ?? 'an unknown currency'}, but priced in ${quote}.`,
    )
  }
  if (precision.amount === undefined) throw new NoSuchMarket(`The size step of ${symbol} is unknown.`)
  const minima = [limits.amount?.min, limits.market?.min].map((min) => decimal(textOf(min)))
  const most = isContract ? mostLeverageOf(market) : undefined
  const min = minima.reduce((a, b) => (a.gt(b) ? a : b))
  return {
    symbol,
    service: isContract ? 'futures' : 'spot',
    base,
    quote,
    sizeStep: toBase(market, textOf(precision.amount)),
    minSize: toBase(market, plain(min)),
    minNotional: plain(decimal(textOf(limits.cost?.min))),
    ...(precision.price !== undefined && { priceStep: plain(decimal(textOf(precision.price))) }),
    ...(market.taker !== undefined && { takerRate: plain(decimal(textOf(market.taker))) }),
    ...(most !== undefined && { mostLeverage: plain(decimal(textOf(most))) }),
  }
}

/**
 * The highest leverage of a future. For some exchanges, ccxt has another figure there, which is never more than 1: for HTX that
 * of margin trading on spot, and for Coinbase International a part of the position. Then nobody knows it.
 */
function mostLeverageOf({ limits }: CcxtTradedMarket) {
  const most = limits.leverage?.max
  return Number(most) > 1 ? most : undefined
}

/** Converts an amount of the exchange (contracts, or base currency) to base currency. */
export function toBase(market: CcxtTradedMarket, amount: string): string {
  return plain(decimal(amount).times(contractSizeOf(market)))
}

/** Converts base currency to an amount of the exchange; `undefined` if that is not a multiple of its step. */
export function fromBase(market: CcxtTradedMarket, size: string): string | undefined {
  const amount = decimal(size).div(contractSizeOf(market))
  const step = decimal(textOf(market.precision.amount))
  const isExact = amount.times(contractSizeOf(market)).eq(decimal(size))
  return isExact && step.gt(zero) && amount.mod(step).eq(zero) ? plain(amount) : undefined
}

function contractSizeOf({ contract, contractSize }: CcxtTradedMarket) {
  return contract === true ? textOf(contractSize ?? '1') : '1'
}

/** Values that ccxt itself adds to a market, such as a contract size of 1, are numbers even so. */
function textOf(value: string | number | undefined): string {
  return String(value ?? '0')
}
