import assert from 'node:assert/strict'
import { test } from 'node:test'
import { futuresRules, plainSettings } from '../../../test/trading.ts'
import { parseCandles } from '../../market/simulated/candle-file.ts'
import type { Action } from '../../trading/types.ts'
import type { BotPlan, DecidePlan } from '../backtest.ts'
import { type Decisions, noTrigger } from '../decide.ts'
import { MarketData } from '../market-data.ts'
import { type Candidate, trainingsOf, type WalkWindow, walkForward, windowsOf } from './walk-forward.ts'

const startMs = Date.UTC(2025, 0, 6)
const dayMs = 86_400_000

/** A candle a day, each with one price. `null`: none is there. */
function market(prices: readonly (number | null)[]): MarketData {
  const rows = prices.flatMap((price, day) =>
    price === null ? [] : [[startMs + day * dayMs, price, price, price, price].join()],
  )
  const text = ['time,open,high,low,close', ...rows].join('\n')
  return new MarketData(futuresRules.symbol, parseCandles(Buffer.from(text), 'test.csv'))
}

const days = (count: number) => count * dayMs

test('windows move on by a test, or begin with the first candle, and the last one may be shorter', () => {
  const data = market(Array(11).fill(100))
  const spans = (isAnchored: boolean) =>
    windowsOf(data, { first: 1, end: 11 }, { trainMs: days(4), testMs: days(3), isAnchored }).map(
      ({ training, test }) => [training.first, training.end, test.first, test.end],
    )
  assert.deepEqual(spans(false), [
    [1, 5, 5, 8],
    [4, 8, 8, 11],
  ])
  assert.deepEqual(spans(true), [
    [1, 5, 5, 8],
    [1, 8, 8, 11],
  ])
  const long = { trainMs: days(10), testMs: days(1), isAnchored: false }
  assert.deepEqual(windowsOf(data, { first: 1, end: 11 }, long), [])
  // A test without a candle is left out.
  const gap = market([100, 100, 100, null, null, 100, 100])
  const found = windowsOf(gap, { first: 0, end: 5 }, { trainMs: days(3), testMs: days(2), isAnchored: false })
  assert.deepEqual(
    found.map(({ test }) => [test.first, test.end]),
    [[3, 5]],
  )
})

/** Code that sends these actions, by the number of the candle at whose end it does. */
async function candidate(
  { data, bot, windows }: { data: MarketData; bot: BotPlan; windows: readonly WalkWindow[] },
  name: string,
  actions: Record<number, Action>,
): Promise<Candidate> {
  const decisions: Decisions = {
    ...{ runs: data.length, skipped: 0, failed: 1, violated: 0, withheld: 0, asksPositions: false },
    ...{ failures: [], violations: [], logs: [], stoppedMs: null, storage: null, lastTrigger: noTrigger },
    signals: Object.entries(actions).map(([index, action]) => ({
      ...{ index: Number(index), atMs: data.endOf(Number(index)), action, price: 0, options: {} },
    })),
  }
  const trained = await trainingsOf(data, decisions, bot, windows)
  return { parameters: { SIDE: name }, trained, decisions: () => decisions }
}

test('each test trades what was best before it, and never what was best in it', async () => {
  // It rises for six days, and then falls.
  const data = market([100, 101, 102, 103, 104, 105, 104, 103, 102, 101, 100])
  const bot: BotPlan = {
    ...{ name: 'b', rules: futuresRules, atEnd: 'hold' },
    settings: { ...plainSettings, amount: '1', amountUnit: 'base', startBalance: '1000' },
  }
  const every = (action: Action) => Object.fromEntries(Array.from({ length: 10 }, (_, day) => [day, action]))
  const walk = { trainMs: days(3), testMs: days(3), isAnchored: false }
  const windows = windowsOf(data, { first: 0, end: 11 }, walk)
  const place = { data, bot, windows }
  const candidates = [
    await candidate(place, 'short', every('SHORT')),
    await candidate(place, 'long', every('LONG')),
  ]
  const asked: DecidePlan = {
    ...{ code: '', data, env: { SIDE: 'short' }, seed: 1, storage: null, lastTrigger: noTrigger },
    ...{ answers: [], warmUp: 0, first: 0, end: data.length },
  }
  const { steps, backtest, plan } = await walkForward(asked, candidates, bot, windows)
  // It buys at 101 and has 102 at the end of the first training; the second one is all of the rise until 105.
  assert.deepEqual(
    steps.map(({ test, chosen, trained }) => [test.first, test.end, chosen, Number(trained.toFixed(9))]),
    [
      [3, 6, 1, 0.1],
      [6, 9, 1, 0.1],
      [9, 11, 0, 0.1],
    ],
  )
  assert.deepEqual([plan.first, plan.end, plan.env], [3, 11, {}])
  // It buys at 104 after the first candle of the first test, and is turned at 100 in the last one.
  assert.deepEqual(
    backtest.traded.fills.map(({ side, price }) => `${side} ${price}`),
    ['buy 104', 'sell 100', 'sell 100'],
  )
  assert.equal(backtest.traded.equity.at(-1)!.equity, 996)
  assert.equal(backtest.decisions.failed, 2)
  assert.ok(backtest.doubled !== null)
})
