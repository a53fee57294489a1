/**
 * Code that runs before the snapshot is taken, in a context that is then thrown away. V8 keeps the compiled functions in
 * the snapshot, so that the first run of a strategy does not compile the runtime and the common indicators.
 */

import type { RunInput } from '../types.ts'

/** Uses the members that most strategies use. */
export const warmUpCode = `
  const stored = (await $.Storage.get()) ?? { prices: [] }
  const averages = [new $.Ta.SMA(3), new $.Ta.EMA(3), new $.Ta.RSI(3), new $.Ta.MACD(new $.Ta.EMA(2), new $.Ta.EMA(5), new $.Ta.EMA(3)), new $.Ta.BollingerBands(3)]
  const ranges = [new $.Ta.ATR(3)]
  for (const price of stored.prices) {
    for (const indicator of averages) indicator.update(price)
    for (const indicator of ranges) indicator.update({ open: price, high: price + 1, low: price - 1, ['clo' + 'se']: price })
  }
  await $.Storage.set({ last: averages.map((indicator) => indicator.isStable && indicator.getResult()) })
  $.log('warm')
  await $.Strategy.action($.Action.LONG)`

export const warmUpInput: RunInput = {
  strategy: {
    id: 1,
    type: 'code-reaction',
    signal: { symbols: ['BTCUSDT'], lastTrigger: { action: null, price: null, at: null } },
  },
  storage: JSON.stringify({ prices: Array.from({ length: 20 }, (_, index) => 100 + (index % 7)) }),
  request: { data: '{}', headers: {}, ip: '127.0.0.1' },
  price: { symbol: 'btcusdt', price: 100, exchange: 'binance', service: 'spot' },
  env: {},
}

/** Runs in a context with the scripts of the snapshot. */
export const warmUpScript = `{
  const { boot, harden } = globalThis
  const { start } = boot(() => {}, null)
  harden()
  start(1, ${JSON.stringify(JSON.stringify(warmUpInput))}, ${JSON.stringify(warmUpCode)}, false, 0, 0)
}`
