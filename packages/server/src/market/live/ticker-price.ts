import type { CcxtTicker } from './ccxt-types.ts'
import type { Word } from './freshness.ts'

/** What a ticker says, or `undefined` if it tells no price: a lie, or a market in which nothing was ever traded. */
export function wordOf(ticker: CcxtTicker): Word | undefined {
  const price = ticker.last ?? ticker.close ?? middleOf(ticker)
  if (typeof price !== 'number' || !Number.isFinite(price) || price <= 0) return undefined
  const { timestamp } = ticker
  const exchangeMs = typeof timestamp === 'number' && Number.isFinite(timestamp) ? timestamp : undefined
  // Only where there is no time is the message itself needed to tell a repetition.
  const payload = exchangeMs === undefined ? JSON.stringify(ticker.info) : undefined
  return { price, exchangeMs, payload }
}

function middleOf({ bid, ask }: CcxtTicker): number | undefined {
  if (typeof bid !== 'number' || typeof ask !== 'number' || bid <= 0 || ask <= 0) return undefined
  return (bid + ask) / 2
}
