import type { ModelMarket } from '../ai/market-tools.ts'
import type { OutsideParts } from '../outgoing/outside.ts'

/** Prices and candles for the models of an account, which uses up its pace. */
export function modelMarket({ candles }: Pick<OutsideParts, 'candles'>, userId: number): ModelMarket {
  return {
    price: async ({ symbol, ...venue }) => (await candles.price(userId, venue, symbol)).found,
    candles: async ({ symbol, interval, ...venue }, count) =>
      (await candles.latest(userId, venue, { symbol, interval }, count)).found,
  }
}
