/** Backtests on candles from noon on, in a sandbox that a test file shares. */
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { openSandbox } from '@tickwright/sandbox'
import { type Backtest, type BacktestParts, backtest, type DecidePlan } from '../src/backtests/backtest.ts'
import { noTrigger } from '../src/backtests/decide.ts'
import type { PastDeliveries } from '../src/backtests/delivery-runs.ts'
import { MarketData } from '../src/backtests/market-data.ts'
import { parseCandles } from '../src/market/simulated/candle-file.ts'
import type { BotSettings } from '../src/trading/types.ts'
import { futuresRules, plainSettings } from './trading.ts'

/** The sandbox of a test file, which closes after its tests. */
export const sandbox = await openSandbox({
  ...{ executors: 1, seriesExecutors: 2, seriesPriority: 'normal' },
})
after(() => sandbox.close())

export const noonMs = Date.UTC(2025, 0, 6, 12)
export const minuteMs = 60_000
export const { symbol } = futuresRules
let seriesId = 0

/** Candles of a minute from noon on, from `open high low close`, or one price for all four. `null`: none is there. */
export function market(rows: readonly (string | null)[], everyMs = minuteMs): MarketData {
  const lines = rows.flatMap((row, index) => {
    const prices = row?.split(' ')
    if (prices === undefined) return []
    return [
      [noonMs + index * everyMs, ...(prices.length === 1 ? Array(4).fill(prices[0]) : prices), 1].join(),
    ]
  })
  const text = ['time,open,high,low,close,volume', ...lines].join('\n')
  return new MarketData(symbol, parseCandles(Buffer.from(text), 'test.csv'))
}

export const flat = (count: number) => market(Array(count).fill('100'))

export type Changes = Partial<DecidePlan> & { parts?: Partial<BacktestParts>; atEnd?: 'hold' | 'close' }

export async function run(
  code: string,
  data: MarketData,
  bots: Partial<BotSettings>[] = [{}],
  { parts = {}, atEnd = 'hold', ...changes }: Changes = {},
): Promise<Backtest[]> {
  return await backtest(
    { sandbox, nextSeriesId: () => ++seriesId, ...parts },
    {
      ...{ code, data, warmUp: 0, first: 0, end: data.length, env: {}, seed: 1, storage: null },
      ...{ lastTrigger: noTrigger, answers: [], ...changes },
    },
    bots.map((settings) => ({
      ...{ name: 'b', rules: futuresRules, atEnd },
      settings: { ...plainSettings, ...settings },
    })),
  )
}

/** A delivery `{"n":0}`, then `{"n":1}`, and so on, at these minutes after noon. */
export function arriving(minutes: readonly number[], { usesPrice = true } = {}): PastDeliveries {
  return {
    times: Float64Array.from(minutes, (minute) => noonMs + minute * minuteMs),
    requestOf: (n) => ({ data: `{"n":${n}}`, headers: { 'user-agent': `feed ${n}` }, ip: `192.0.2.${n}` }),
    ...{ usesPrice, digest: minutes.join() },
  }
}

/** What the code logs in its runs. */
export async function logsOf(code: string, data: MarketData, changes: Changes = {}): Promise<string[]> {
  const [done] = await run(code, data, [{}], changes)
  assert.deepEqual(done!.decisions.failures, [])
  return done!.decisions.logs.map(({ log }) => log.trim())
}
