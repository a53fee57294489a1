import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openSandbox } from '@tickwright/sandbox'
import fc from 'fast-check'
import { futuresRules, noon, plainSettings } from '../../test/trading.ts'
import { parseCandles } from '../market/simulated/candle-file.ts'
import { type BacktestParts, type BotPlan, backtest, type DecidePlan } from './backtest.ts'
import { noTrigger } from './decide.ts'
import { cutsOf, examine } from './examination.ts'
import { MarketData } from './market-data.ts'

const sandbox = await openSandbox({ executors: 1, seriesExecutors: 1, seriesPriority: 'normal' })
after(() => sandbox.close())

let seriesId = 0
const parts: BacktestParts = { sandbox, nextSeriesId: () => ++seriesId }

/** A price that rises and falls, in candles of a minute. */
const rows = Array.from({ length: 60 }, (_, index) =>
  [noon + index * 60_000, ...Array(4).fill(100 + (index % 9)), 1].join(),
)
const data = new MarketData(
  futuresRules.symbol,
  parseCandles(Buffer.from(['time,open,high,low,close,volume', ...rows].join('\n')), 'test.csv'),
)

const bot: BotPlan = {
  ...{ name: 'b', rules: futuresRules, atEnd: 'hold' },
  settings: plainSettings,
}

async function examined(code: string, warmUp = 0, changes: Partial<DecidePlan> = {}) {
  const plan: DecidePlan = {
    ...{ code, data, warmUp, first: Math.max(warmUp, 10), end: data.length, env: {}, seed: 1, storage: null },
    ...{ lastTrigger: noTrigger, answers: [], ...changes },
  }
  const [done] = await backtest(parts, plan, [bot])
  const checks = await examine(parts, plan, bot, done!)
  return checks.map(({ name, verdict }) => [name, verdict])
}

const byPrice = `
  const { last } = JSON.parse($.Request.data)
  const side = last > 106 ? 'SHORT' : last < 102 ? 'LONG' : null
  if (side !== null && $.Strategy.lastTrigger.action !== side) await $.Strategy.action(side)`

test('code that looks only at its candle sends the same signals on other data', async () => {
  assert.deepEqual(await examined(byPrice), [
    ['look_ahead', 'good'],
    ['warm_up', 'unknown'],
  ])
  assert.deepEqual(await examined(byPrice, 20), [
    ['look_ahead', 'good'],
    ['warm_up', 'good'],
  ])
})

test('code that counts its runs needs a longer warm-up', async () => {
  const verdicts = await examined(
    `
    const runs = ((await $.Storage.get()) ?? 0) + 1
    await $.Storage.set(runs)
    if (runs % 7 === 0) await $.Strategy.action(runs % 14 === 0 ? 'SHORT' : 'LONG')`,
    20,
  )
  assert.deepEqual(verdicts, [
    ['look_ahead', 'good'],
    ['warm_up', 'doubt'],
  ])
})

test('the data is cut within the backtest, where only the seed says', () => {
  fc.assert(
    fc.property(fc.nat(1_000), fc.nat(1_000), fc.nat(), (first, length, seed) => {
      const cuts = cutsOf({ first, end: first + length, seed })
      assert.deepEqual(cuts, cutsOf({ first, end: first + length, seed }))
      assert.ok(cuts.every((cut) => cut > first && cut < first + length))
      if (length > 3) assert.ok(cuts.length > 0)
    }),
  )
})

test('code on deliveries is run again on candles and deliveries that end earlier', async () => {
  const deliveries = {
    times: Float64Array.from({ length: 80 }, (_, n) => noon + (11 + n / 2) * 60_000),
    requestOf: (n: number) => ({ data: `{"last":${100 + (n % 9)}}`, headers: {}, ip: '' }),
    ...{ usesPrice: true, digest: '' },
  }
  assert.deepEqual(await examined(byPrice, 5, { deliveries }), [
    ['look_ahead', 'good'],
    ['warm_up', 'unknown'],
  ])
})
