import type { Dialect } from './dialect.ts'
import { beforeOf, byClientOrderId, hashOf, ofOrder } from './lookups.ts'

export const hyperliquid: Dialect = {
  clientOrderId: (id) => `0x${hashOf(id)}`,
  spotBuys: 'base',
  needsPrice: true,
  find: byClientOrderId,
  trades: async (account, order, symbol) => {
    const trades = await ofOrder(account.fetchMyTrades(symbol, beforeOf(order.timestamp)), order.id)
    // Fees have the exchange's names of wrapped coins, such as `UBTC`; markets have the common names, such as `BTC`.
    const mapping = (account.options.spotCurrencyMapping ?? {}) as Record<string, string>
    return trades.map((trade) => {
      const currency = trade.fee?.currency ?? ''
      return { ...trade, fee: { ...trade.fee, currency: mapping[currency] ?? currency } }
    })
  },
  // All refusals have this form, but ccxt knows only some of them by name.
  refusals: /"error":|"status":\s*"err"/,
  // The time of a request is its number. A number that was used before does not say what became of the other request.
  clockRefusals: /Invalid nonce(?!: duplicate)/,
}
