import { Type } from 'typebox'
import { pick } from './results.ts'
import { oneOf, readingTool, Since } from './tool.ts'

/** So many rows fit into a result. */
const mostCandles = 250

const columns = ['time', 'open', 'high', 'low', 'last', 'volume', 'done'] as const

const getCandles = readingTool({
  name: 'get_candles',
  description:
    'Read the latest candles (1m, 4h, 1d …) of a symbol, or those since a time; oldest first. exchange: id or name.',
  input: {
    exchange: Type.String(),
    service: Type.Optional(oneOf(['spot', 'futures'])),
    symbol: Type.String(),
    interval: Type.String(),
    count: Type.Optional(Type.Integer({ maximum: mostCandles })),
    since: Since,
    until: Type.Optional(Type.String()),
  },
  foreign: false,
  run: async (input, { api }) => {
    const answer = await api('GET /api/v2/market/candles?{query}', input)
    const rows = answer.candles.slice(0, mostCandles).map((candle) => columns.map((column) => candle[column]))
    const next = answer.candles[mostCandles]
    return {
      value: {
        ...pick(answer, ['exchange_id', 'service', 'symbol', 'interval']),
        ...{ columns, rows },
        // With both ends given, a range may have more candles than fit.
        ...(next === undefined ? {} : { next_since: new Date(next.time).toISOString() }),
      },
    }
  },
})

const getPrice = readingTool({
  name: 'get_price',
  description: 'Read the current price of a symbol, as strategies see it. exchange: id or name.',
  input: {
    exchange: Type.String(),
    service: Type.Optional(oneOf(['spot', 'futures'])),
    symbol: Type.String(),
  },
  foreign: false,
  run: async (input, { api }) => ({ value: await api('GET /api/v2/market/price?{query}', input) }),
})

export const marketTools = [getCandles, getPrice]
