import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { futuresRules, PaperBench, plainSettings } from '../../test/trading.ts'
import { parseCandles } from '../market/simulated/candle-file.ts'
import type { MarketConditions } from '../trading/market-conditions.ts'
import type { Action, BotSettings } from '../trading/types.ts'
import { MarketData } from './market-data.ts'
import { reportOf } from './report/report.ts'
import { TradePass } from './trade.ts'
import type { Traded } from './traded.ts'

const noonMs = Date.UTC(2025, 0, 6, 12)
const hourMs = 3_600_000

/** Candles of an hour from noon on, each with one price. */
function market(prices: readonly number[]): MarketData {
  const rows = prices.map((price, index) => [noonMs + index * hourMs, ...Array(4).fill(price), 100].join())
  const text = ['time,open,high,low,close,volume', ...rows].join('\n')
  return new MarketData(futuresRules.symbol, parseCandles(Buffer.from(text), 'test.csv'))
}

/** Trades signals, by the number of the candle at whose opening they are followed. */
async function trade(
  data: MarketData,
  actions: Record<number, Action>,
  settings: Partial<BotSettings>,
  conditions: MarketConditions = {},
): Promise<Traded> {
  const pass = new TradePass({
    ...{ data, rules: futuresRules, name: 'b', settings: { ...plainSettings, ...settings }, conditions },
    ...{ first: 0, end: data.length, atEnd: 'hold' },
  })
  for (const [index, action] of Object.entries(actions)) {
    const atMs = noonMs + Number(index) * hourMs
    pass.follow({ index: Math.max(0, Number(index) - 1), atMs, action, price: 0, options: {} })
  }
  return await pass.finish()
}

test('what fees, spread, slippage and funding took adds up to the difference from a market without them', async () => {
  const data = market([100, 100, 110, 120, 130])
  const funding = [1, 3, 4].map((hours) => ({
    at: noonMs + (hours + 0.5) * hourMs,
    rate: '0.01',
    price: null,
  }))
  const settings = {
    amountUnit: 'base' as const,
    amount: '2',
    spreadRate: '0.02',
    slippageRate: '0.01',
    feeRate: '0.01',
  }
  const traded = await trade(data, { 1: 'LONG', 3: 'EXIT', 4: 'SHORT' }, settings, { funding })
  const { costs } = reportOf({ traded })
  // Purchases at 101 × 1.01 = 102.01, sales at 120 × 0.99 × 0.99 = 117.612 and 130 × 0.9801 = 127.413.
  assert.deepEqual(
    traded.fills.map(({ price }) => price),
    [102.01, 117.612, 127.413],
  )
  assert.deepEqual(costs, {
    fees: 6.9407,
    // 2 × (100 + 120 + 130) × 0.01.
    spread: 7,
    // 2 × (101 + 118.8 + 128.7) × 0.01.
    slippage: 6.97,
    // It pays 2 × 100 × 0.01 once while it is long, and receives 2 × 130 × 0.01 while it is short.
    funding: -0.6,
    total: 20.3107,
  })
  // Without costs, 2 × (120 - 100) = 40.
  assert.equal(Number((traded.equity.at(-1)!.equity - 10_000 + costs.total).toFixed(9)), 40)
  assert.deepEqual(
    traded.payments!.map(({ value }) => value),
    [-2, 2.6],
  )
  assert.deepEqual(
    traded.fills.map(({ fundingCost }) => fundingCost),
    [0, 2, 0],
  )
  // 2 × (117.612 - 102.01) - 2 × 0.01 × (102.01 + 117.612) - 2.
  assert.deepEqual(
    traded.closed.map(({ profit, fees, funding }) => [profit, fees, funding]),
    [[24.81156, 4.39244, -2]],
  )
})

test('a position whose margin is used up closes for the margin, without a fee, a spread or slippage', async () => {
  const settings = { leverage: 10, amount: '1000', spreadRate: '0.02', slippageRate: '0', feeRate: '0.001' }
  const traded = await trade(market([100, 100, 80, 100]), { 1: 'LONG' }, settings, {
    maintenanceRate: '0.005',
  })
  // It buys 10 at 101. The margin of 101 ends at 90.9.
  assert.deepEqual(
    traded.fills.map(({ price, fee, spreadCost, realised, reason }) => [
      price,
      fee,
      spreadCost,
      realised,
      reason,
    ]),
    [
      [101, 1.01, 10, -1.01, 'signal'],
      [90.9, 0, 0, -101, 'liquidation'],
    ],
  )
  assert.deepEqual(
    traded.closed.map(({ profit, reason }) => [profit, reason]),
    [[-102.01, 'liquidation']],
  )
})

const price = fc.integer({ min: 500, max: 5_000 }).map((cents) => cents / 100)
const step = fc.record({ price, action: fc.constantFrom<(Action | null)[]>(null, 'LONG', 'SHORT', 'EXIT') })
const rate = fc.constantFrom('0', '0.001', '0.0123')

test('the same signals end in equal books on paper and in a backtest, whatever the costs', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 2, maxLength: 12 }),
      fc.record({
        feeRate: rate,
        slippageRate: rate,
        spreadRate: rate,
        amount: fc.constantFrom('50', '9000'),
      }),
      fc.constantFrom<BotSettings['amountUnit'][]>('quote', 'equity_percent'),
      async (steps, costs, amountUnit) => {
        const settings = { ...costs, amountUnit, amount: amountUnit === 'quote' ? costs.amount : '60' }
        const bench = new PaperBench({ settings })
        for (const { price, action } of steps) {
          bench.price = String(price)
          if (action !== null) await bench.follow(action)
        }
        const actions = steps.flatMap(({ action }, index) =>
          action === null ? [] : [[index, action] as const],
        )
        const data = market(steps.map(({ price }) => price))
        const { fills } = await trade(data, Object.fromEntries(actions), settings)
        assert.deepEqual(
          fills.map(({ side, size, price, fee, realised }) => [side, size, price, fee, realised]),
          bench.books.fills.map(({ side, size, price, fee, realised }) => [
            ...[side, Number(size), Number(price), Number(fee), Number(realised)],
          ]),
        )
      },
    ),
    { numRuns: 100 },
  )
})

test('a bot that gives up closes at that close, and the rest depends on nothing that comes later', async () => {
  // With 90 from 100 on, the equity is 10,900 at its highest, and 9,010 at a price of 89: 17 % less.
  const data = market([100, 100, 110, 100, 89, 500, 600])
  const actions: [candle: number, action: Action][] = [
    [0, 'LONG'],
    [4, 'SHORT'],
    [5, 'LONG'],
  ]
  const settings = { ...plainSettings, amountUnit: 'base' as const, amount: '90' }
  const passOf = (drawdownPercent: number | null) => {
    let times = 0
    const givesUp = { drawdownPercent: drawdownPercent ?? 0, gaveUp: () => (times += 1) }
    const pass = new TradePass({
      ...{ data, rules: futuresRules, name: 'b', settings, first: 0, end: data.length, atEnd: 'close' },
      ...(drawdownPercent !== null && { givesUp }),
    })
    return { pass, times: () => times }
  }
  const follow = (pass: TradePass, [index, action]: (typeof actions)[number]) =>
    pass.follow({ index, atMs: data.endOf(index), action, price: 0, options: {} })
  const whole = passOf(15)
  for (const action of actions) follow(whole.pass, action)
  const traded = await whole.pass.finish()
  const inSteps = passOf(15)
  for (const action of actions.slice(0, 2)) follow(inSteps.pass, action)
  for (const next of [3, 4, 6]) await inSteps.pass.goTo(next)
  const again = await inSteps.pass.finish()
  assert.equal(reportOf({ traded: again }).digest, reportOf({ traded }).digest)
  assert.deepEqual([traded.gaveUp?.atMs, whole.times(), inSteps.times()], [data.endOf(4), 1, 1])
  // 10,000 + 90 × (89 − 100).
  assert.deepEqual(
    traded.equity.map(({ equity }) => equity),
    [10_000, 10_000, 10_900, 10_000, 9_010, 9_010, 9_010],
  )
  assert.deepEqual(
    traded.closed.map(({ exit, closedMs }) => [exit, closedMs]),
    [[89, data.endOf(4)]],
  )
  assert.deepEqual(
    traded.signals.map(({ action, outcome }) => [action, outcome]),
    [['LONG', 'DONE']],
  )
  // A limit that is not reached changes nothing.
  const [without, above] = [passOf(null).pass, passOf(99).pass]
  for (const action of actions) for (const pass of [without, above]) follow(pass, action)
  const [plain, limited] = [await without.finish(), await above.finish()]
  assert.equal(reportOf({ traded: limited }).digest, reportOf({ traded: plain }).digest)
  assert.equal(limited.gaveUp, undefined)
})
