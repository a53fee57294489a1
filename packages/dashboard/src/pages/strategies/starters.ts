/** Code that a new strategy begins with. Each works as it is. */
import type { CodeKind } from './kinds.ts'

export type Starter = {
  id: string
  name: string
  hint: string
  code: (symbol: string) => string
  /** It sends actions. */
  sends: boolean
  /** It reads the price or candles of a symbol. */
  market: 'price' | 'candles' | null
}

const average: Starter = {
  id: 'candles',
  name: 'Average of candles',
  hint: 'Opens a long position above the average of the last 20 candles, and leaves it below.',
  sends: true,
  market: 'candles',
  code: (
    symbol,
  ) => `// Opens a long position when the price is above the average of the last 20 candles, and leaves it below.
const candles = await $.candles(${JSON.stringify(symbol)}, '15m', 20)
const prices = $.Candles.lasts(candles)
const price = prices.at(-1)
const average = prices.reduce((sum, each) => sum + each, 0) / prices.length
const isLong = $.Strategy.lastTrigger.action === 'LONG'
$.log('price', price, 'average', average.toPrecision(7), isLong ? 'long' : 'out')

if (!isLong && price > average) await $.Strategy.action($.Action.LONG)
if (isLong && price < average) await $.Strategy.action($.Action.EXIT)
`,
}

const price: Starter = {
  id: 'price',
  name: 'Average of prices',
  hint: 'Keeps the last 20 prices that it saw. Opens a long position above their average, and leaves it below.',
  sends: true,
  market: 'price',
  code: () => `// Keeps the last 20 prices. Opens a long position above their average, and leaves it below.
const { symbol, price } = $.Price
const stored = await $.Storage.get()
const prices = [...(stored?.prices ?? []), price].slice(-20)
await $.Storage.set({ prices })

const average = prices.reduce((sum, each) => sum + each, 0) / prices.length
const isLong = $.Strategy.lastTrigger.action === 'LONG'
$.log(symbol, price, 'average', average.toPrecision(7), isLong ? 'long' : 'out')

if (!isLong && price > average) await $.Strategy.action($.Action.LONG)
if (isLong && price < average) await $.Strategy.action($.Action.EXIT)
`,
}

const clock: Starter = {
  id: 'log',
  name: 'Log only',
  hint: 'Writes a line to the log of each run, and trades nothing.',
  sends: false,
  market: null,
  code: () => `// Writes a line to the log of each run.
const stored = await $.Storage.get()
const runs = (stored?.runs ?? 0) + 1
await $.Storage.set({ runs })
$.log('run', runs, 'at', new Date().toISOString())
`,
}

const follow: Starter = {
  id: 'follow',
  name: 'Follow the payload',
  hint: 'The payload {"action": "LONG"} opens a long position; SHORT and EXIT work too.',
  sends: true,
  market: null,
  code: () => `// The payload {"action": "LONG"} opens a long position; SHORT and EXIT work too.
const { action } = JSON.parse($.Request.data)
const wanted = $.Action[action]
const { action: last } = $.Strategy.lastTrigger
$.log('wanted', action, 'last', last)

if (wanted === undefined) $.log('The payload has no known action.')
else if (wanted !== last) await $.Strategy.action(wanted)
`,
}

const payloadAverage: Starter = {
  id: 'payload-average',
  name: 'Average of payloads',
  hint: 'The payload {"price": 100} adds a price. Opens a long position above the average, and leaves it below.',
  sends: true,
  market: null,
  code: () => `// The payload {"price": 100} adds a price. Opens a long position above their average, and leaves it below.
const { price } = JSON.parse($.Request.data)
const stored = await $.Storage.get()
const prices = [...(stored?.prices ?? []), price].slice(-20)
await $.Storage.set({ prices })

const average = prices.reduce((sum, each) => sum + each, 0) / prices.length
const isLong = $.Strategy.lastTrigger.action === 'LONG'
$.log('price', price, 'average', average.toPrecision(7), isLong ? 'long' : 'out')

if (!isLong && price > average) await $.Strategy.action($.Action.LONG)
if (isLong && price < average) await $.Strategy.action($.Action.EXIT)
`,
}

const payloadLog: Starter = {
  id: 'payload-log',
  name: 'Log only',
  hint: 'Writes each payload to the log of its run, and trades nothing.',
  sends: false,
  market: null,
  code: () => `// Writes each payload to the log of its run.
$.log($.Request.headers['content-type'], $.Request.data)
`,
}

/** The starters of each kind; the first one is the default. */
export const starters: Record<CodeKind, readonly [Starter, ...Starter[]]> = {
  code: [average, price, clock],
  reaction: [follow, payloadAverage, payloadLog],
}

/** The symbol of the code until another one is chosen. */
export const usualSymbol = 'BTC/USDT'
