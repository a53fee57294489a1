/** Compares replays with the oracle: random signals over random prices, and over real candles. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { MarketRules } from '../../src/market/rules.ts'
import { readCandleFile } from '../../src/market/simulated/candle-file.ts'
import { type Replay, type ReplayCandle, replay, replayCandles } from '../../src/trading/replay.ts'
import { altbtc, eurusd } from '../shared-candles.ts'
import { futuresRules, noon, plainSettings, rangeOf } from '../trading.ts'
import { fraction, multiply, rounded, subtract, text } from './fractions.ts'
import {
  equity,
  type OracleBooks,
  type OracleMarket,
  type OracleSettings,
  type OracleSignal,
  workOut,
} from './oracle.ts'
import { actionOf, marketOf, optionsOf, settingsOf } from './random-signals.ts'

const symbol = futuresRules.symbol
const minuteMs = 60_000

type PlannedSignal = Pick<OracleSignal, 'action' | 'options'> & { waitedMs: number }

/** Replays signals at the openings of their candles, and compares the books with the oracle. */
async function compareBooks(
  settings: OracleSettings,
  market: OracleMarket,
  candles: ReplayCandle[],
  planned: (PlannedSignal | null)[],
): Promise<Replay> {
  let watched: NonNullable<OracleSignal['watched']> = []
  const asked = candles.flatMap(({ openedAt, open }, index) => {
    const before = candles[index - 1]
    if (before !== undefined) watched.push({ at: before.closedAt, prices: { [symbol]: before.close } })
    const signal = planned[index] ?? null
    if (signal === null) return []
    const moments = watched
    watched = []
    const { action, options } = signal
    // At most since the previous opening. An older signal would be followed there.
    const waitedMs = Math.min(signal.waitedMs, openedAt - (candles[index - 1]?.openedAt ?? 0) - 1)
    const prices = { [symbol]: open }
    const times = { at: openedAt - waitedMs, followedAt: openedAt, watched: moments }
    return [{ action, options, symbol, ...times, prices }]
  })
  const books = workOut(settings, market, asked)
  const result = await replay({
    rules: { ...futuresRules, ...market } satisfies MarketRules,
    settings: { ...plainSettings, ...settings },
    candles,
    signals: asked.map(({ action, options, at }) => ({ action, at, options: options as object })),
  })
  compareTrades(result, books)
  comparePosition(result, books)
  const last = candles.at(-1)!
  assert.equal(result.equity.at(-1)!.equity, text(equity(settings, books, { [symbol]: last.close })))
  return result
}

function compareTrades({ outcomes, orders, fills }: Replay, books: OracleBooks): void {
  const ends = outcomes.map(({ outcome }) => outcome.status)
  assert.deepEqual(ends, books.ends)
  assert.deepEqual(
    orders.map(({ symbol, side, purpose, size, status }) => ({ symbol, side, purpose, size, status })),
    books.orders,
  )
  assert.deepEqual(
    fills.map(({ symbol, side, size, price, fee, realised }) => ({
      symbol,
      side,
      size,
      price,
      fee,
      realised,
    })),
    books.fills,
  )
}

function comparePosition({ position }: Replay, { holdings, cash }: OracleBooks): void {
  const holding = holdings.get(symbol)
  assert.equal(position.side === null, holding === undefined || holding.held.over === 0n)
  if (holding === undefined) return
  const { held, cost, realised, fees } = holding
  const sign = position.side === 'short' ? '-' : ''
  assert.equal(sign + position.size, text(held))
  assert.deepEqual([position.realised, position.fees], [text(realised), text(fees)])
  if (position.side !== null) {
    const shown = multiply(fraction(position.entryPrice!), held)
    assert.equal(text(rounded(shown, 24)), text(cost), `entry price ${position.entryPrice}`)
  }
  // The cash is the realised profit minus the cost of the holding.
  assert.equal(text(subtract(realised, cost)), text(cash))
}

const priceOf = fc.constantFrom('100', '99.99', '0.333', '133.7', '50', '7.000001', '200')
const stepOf = fc.record({
  open: priceOf,
  close: priceOf,
  waitedMs: fc.constantFrom(0, 1_000, 1_001, 60_000, 60_001),
  afterMs: fc.constantFrom(minuteMs, minuteMs + 1, 3_600_000, 50_000_000),
  action: actionOf,
  options: optionsOf,
})

test('the books of thousands of random signal sequences match the oracle, to the last digit', async () => {
  const sequences = fc.asyncProperty(
    settingsOf,
    marketOf,
    fc.array(stepOf, { minLength: 1, maxLength: 25 }),
    async (settings, market, steps) => {
      let at = noon
      const candles = steps.map(({ open, close, afterMs }) => {
        const openedAt = at
        at += afterMs
        return { openedAt, closedAt: openedAt + minuteMs, open, close, ...rangeOf(open, close) }
      })
      await compareBooks(settings, market, candles, steps)
    },
  )
  await fc.assert(sequences, { numRuns: 2_000 })
})

for (const { file, amount } of [
  { file: altbtc, amount: '0.05' },
  { file: eurusd, amount: '2500' },
]) {
  for (const service of ['spot', 'futures'] as const) {
    test(`the books of random signals over ${file.name} on ${service} match the oracle`, {
      skip: file.skip,
    }, async () => {
      const seed = Math.floor(Math.random() * 2 ** 31)
      const candles = [...replayCandles(await readCandleFile(file.path))]
      const sampled = fc.sample(fc.record({ action: actionOf, options: optionsOf }), { seed, numRuns: 600 })
      const planned = candles.map((_, index) =>
        index % 8 === 0 ? { ...sampled[(index / 8) % 600]!, waitedMs: index % 1_000 } : null,
      )
      const market = { service, sizeStep: '0.01', minSize: '0.01', minNotional: '0.0001' }
      const limits = {
        maxDailyLoss: '40',
        cooldownSeconds: 7200,
        maxPosition: null,
        maxSignalAgeSeconds: null,
      }
      const costs = { feeRate: '0.00075', slippageRate: '0.0003', startBalance: '10000' }
      const settings = { amount, strictAmount: false, ...costs, ...limits }
      const { fills } = await compareBooks(settings, market, candles, planned).catch((error: unknown) => {
        throw new Error(`seed ${seed}`, { cause: error })
      })
      assert.ok(fills.length > 50, `seed ${seed}`)
    })
  }
}
