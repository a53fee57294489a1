// What a typical strategy does with a candle: keeps 200 prices, and computes an RSI and an EMA over them. It
// starts with 200 made-up prices, so that its first run costs as much as any later one.
const { last } = JSON.parse($.Request.data)
const stored = await $.Storage.get()
const before =
  stored === null ? Array.from({ length: 200 }, (_, index) => 100 + 3 * Math.sin(index / 7)) : stored.prices
const prices = [...before.slice(1), last]

const rsi = new $.Ta.RSI(14)
const ema = new $.Ta.EMA(50)
for (const price of prices) {
  rsi.update(price)
  ema.update(price)
}
await $.Storage.set({ prices, rsi: rsi.getResult(), ema: ema.getResult() })
