import assert from 'node:assert/strict'
import { test } from 'node:test'
import { futuresRules, minuteCandle, noon, PaperBench, plainSettings } from '../../test/trading.ts'
import { noProtection } from './protection/settings.ts'
import { type ReplayCandle, type ReplaySignal, replay } from './replay.ts'
import type { BotSettings } from './types.ts'

const minuteMs = 60_000

/** A candle of a minute with one price. */
function still(index: number, price: string, volume?: number): ReplayCandle {
  return { ...minuteCandle(index, { open: price }), ...(volume !== undefined && { volume }) }
}

const at = (minutes: number, action: ReplaySignal['action']): ReplaySignal => {
  return { action, at: noon + minutes * minuteMs }
}

async function trade(
  candles: ReplayCandle[],
  signals: ReplaySignal[],
  {
    participation,
    latencyMs,
    ...settings
  }: Partial<BotSettings> & { participation?: string; latencyMs?: number },
) {
  const result = await replay({
    ...{ rules: futuresRules, settings: { ...plainSettings, ...settings }, candles, signals },
    conditions: { ...(participation && { participation }), ...(latencyMs && { latencyMs }) },
  })
  return {
    ...result,
    filled: result.fills.map(({ side, size, price, filledAt }) => {
      return `${(filledAt - noon) / minuteMs} ${side} ${size} at ${price}`
    }),
    ends: result.outcomes.map(({ outcome: { status, reason } }) => [status, reason]),
  }
}

test('a market order pays half the spread, and then the slippage, on each side', async () => {
  const { venue } = new PaperBench({
    settings: { spreadRate: '0.002', slippageRate: '0.01', feeRate: '0.5' },
  })
  const paid: unknown[] = []
  for (const side of ['buy', 'sell'] as const) {
    const order = { symbol: futuresRules.symbol, side, size: '1', clientOrderId: side, reduceOnly: false }
    const outcome = await venue.place({ ...order, purpose: 'open' })
    assert.equal(outcome.status, 'placed')
    if (outcome.status === 'placed')
      paid.push(outcome.report.executions.map(({ price, fee }) => [price, fee]))
  }
  // 100 × 1.001 × 1.01 and 100 × 0.999 × 0.99; the fee is a half of the value.
  assert.deepEqual(paid, [[['101.101', '50.5505']], [['98.901', '49.4505']]])
})

test('an opening for all of the equity leaves enough for half the spread', async () => {
  const settings = {
    amountUnit: 'equity_percent' as const,
    amount: '100',
    feeRate: '0.001',
    slippageRate: '0',
  }
  const bench = new PaperBench({ settings: { ...settings, spreadRate: '0.1' } })
  const outcome = await bench.follow('LONG')
  assert.equal(outcome.status, 'DONE')
  // 10000 ÷ (100 × 1.05 × 1.001), rounded down to 0.001.
  assert.equal((await bench.position()).size, '95.142')
})

test('what an opening may lose at its stop includes half the spread of both orders', async () => {
  const bench = new PaperBench({
    settings: {
      ...{
        amountUnit: 'risk_percent',
        amount: '1',
        feeRate: '0',
        spreadRate: '0.02',
        startBalance: '100000',
      },
      protection: { ...noProtection, stop_loss: '91' },
    },
  })
  assert.equal((await bench.follow('LONG')).status, 'DONE')
  // A purchase at 101 and a sale at 91 × 0.99 = 90.09 lose 10.91: 1000 ÷ 10.91 = 91.659.
  assert.equal((await bench.position()).size, '91.659')
})

test('an order gets at most its part of the volume of a candle, and the rest of an opening is not executed', async () => {
  const candles = [still(0, '100', 50), still(1, '100', 50)]
  const { filled, ends, position } = await trade(candles, [at(0, 'LONG')], {
    amount: '1000',
    participation: '0.1',
  })
  assert.deepEqual(filled, ['0 buy 5 at 100'])
  assert.deepEqual(ends, [
    [
      'DONE',
      'Only 5 of 10 BTC was executed. The market took 5 of 10 BTC: the bot may trade at most 10 % of the volume of its candle.',
    ],
  ])
  assert.equal(position.size, '5')
})

test('a candle without a volume takes nothing, and an opening fails there', async () => {
  const { filled, ends } = await trade([still(0, '100', 0)], [at(0, 'LONG')], { participation: '1' })
  assert.deepEqual(filled, [])
  assert.equal(ends[0]![0], 'FAILED')
})

test('a close goes on candle by candle until the position is flat', async () => {
  const volumes = [100, 40, 0, 30, 1_000]
  const candles = volumes.map((volume, index) => still(index, String(100 + index), volume))
  const signals = [at(0, 'LONG'), at(1, 'EXIT')]
  const { filled, ends, equity } = await trade(candles, signals, { amount: '1000', participation: '0.1' })
  assert.deepEqual(filled, ['0 buy 10 at 100', '1 sell 4 at 101', '3 sell 3 at 103', '4 sell 3 at 104'])
  assert.deepEqual(ends[1], ['DONE', null])
  // 4 × 1 + 3 × 3 + 3 × 4.
  assert.equal(equity.at(-1)!.equity, '10025')
})

test('orders of one candle share its volume, and a newer signal replaces a close that is tried again', async () => {
  const candles = [100, 40, 200, 200].map((volume, index) => still(index, '100', volume))
  const signals = [at(0, 'LONG'), at(1, 'EXIT'), at(2, 'SHORT')]
  const { filled, ends } = await trade(candles, signals, { amount: '1000', participation: '0.1' })
  // The close goes on before the newer signal is followed.
  assert.deepEqual(filled, ['0 buy 10 at 100', '1 sell 4 at 100', '2 sell 6 at 100', '2 sell 10 at 100'])
  assert.deepEqual(
    ends.map(([status]) => status),
    ['DONE', 'DONE', 'DONE'],
  )
  const stuck = [100, 40, 0, 200].map((volume, index) => still(index, '100', volume))
  const { ends: replaced, filled: later } = await trade(stuck, signals, {
    amount: '1000',
    participation: '0.1',
  })
  assert.deepEqual(later, ['0 buy 10 at 100', '1 sell 4 at 100', '3 sell 6 at 100', '3 sell 10 at 100'])
  assert.deepEqual(replaced, [
    ['DONE', null],
    ['IGNORED', 'A newer signal of the symbol replaced it.'],
    ['DONE', null],
  ])
})

test('a stop that the market does not take completely closes the rest at the next opening, and no other stop follows', async () => {
  const protection = { ...noProtection, stop_loss: '95' }
  const candles = [
    { ...still(0, '100', 100) },
    { ...minuteCandle(1, { open: '100', high: '100', low: '94', close: '94' }), volume: 40 },
    still(2, '93', 1_000),
  ]
  const { filled, orders } = await trade(candles, [at(0, 'LONG')], {
    ...{ amount: '1000', participation: '0.1', protection },
  })
  assert.deepEqual(filled, ['0 buy 10 at 100', '2 sell 4 at 95', '2 sell 6 at 93'])
  assert.deepEqual(
    orders.filter(({ purpose }) => purpose === 'close').map(({ origin }) => origin),
    ['stop_loss', 'stop_loss', 'stop_loss'],
  )
})

test('with a latency, a signal is followed at the first opening at or after it, and is no older for that', async () => {
  const candles = [still(0, '100'), still(1, '101'), still(2, '102'), still(9, '109')]
  const settings = { maxSignalAgeSeconds: 1, amount: '1000' }
  const fast = await trade(candles, [at(1, 'LONG')], { ...settings, latencyMs: minuteMs })
  assert.deepEqual(fast.filled, ['2 buy 9.803 at 102'])
  const short = await trade(candles, [at(1, 'LONG')], { ...settings, latencyMs: 1 })
  assert.deepEqual(short.filled, ['2 buy 9.803 at 102'])
  // In a gap the market has no price, so the signal waits for it, and is too old then.
  const gap = await trade(candles, [at(3, 'LONG')], { ...settings, latencyMs: 1 })
  assert.deepEqual([gap.filled, gap.ends[0]![0]], [[], 'REFUSED'])
  const none = await trade(candles, [at(1, 'LONG')], settings)
  assert.deepEqual(none.filled, ['1 buy 9.9 at 101'])
})
