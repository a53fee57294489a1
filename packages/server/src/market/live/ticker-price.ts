import { decimal } from '../../base/decimals.ts'
import type { CcxtTicker } from './ccxt-types.ts'
import type { ReportedPrice } from './freshness.ts'

/** The price in a ticker; `undefined` if it has no usable one, for example because nothing was ever traded. */
export function readTicker(ticker: CcxtTicker): ReportedPrice | undefined {
  const price = ticker.last ?? ticker.close ?? middleOf(ticker)
  if (!isPrice(price)) return undefined
  const { timestamp } = ticker
  const exchangeMs = typeof timestamp === 'number' && Number.isFinite(timestamp) ? timestamp : undefined
  // The message itself is needed only if there is no time, to recognise a repetition.
  const payload = exchangeMs === undefined ? JSON.stringify(ticker.info) : undefined
  return { price, exchangeMs, payload }
}

/** Calculated in decimals: with floats, the middle of 0.1 and 0.2 is 0.15000000000000002. */
function middleOf({ bid, ask }: CcxtTicker): number | undefined {
  if (!isPrice(bid) || !isPrice(ask)) return undefined
  return Number(
    decimal(String(bid))
      .plus(decimal(String(ask)))
      .div('2')
      .toFixed(),
  )
}

function isPrice(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0
}
