import assert from 'node:assert/strict'
import { test } from 'node:test'
import { futuresRules, minuteCandle, noon, plainSettings } from '../../../test/trading.ts'
import type { SignalOptions } from '../../db/schema.ts'
import { type ReplaySignal, replay } from '../replay.ts'

type Prices = Parameters<typeof minuteCandle>[1]

/** A long at noon, in the first candle. */
async function enter(options: SignalOptions, prices: Prices[], later: ReplaySignal[] = []) {
  const done = await replay({
    rules: futuresRules,
    settings: plainSettings,
    candles: prices.map((each, index) => minuteCandle(index, each)),
    signals: [{ action: 'LONG', at: noon, options }, ...later],
  })
  const fills = done.fills.map(({ side, price, filledAt }) => [side, price, (filledAt - noon) / 60_000])
  return { ...done, fills, ends: done.outcomes.map(({ outcome }) => outcome.status) }
}

test('a limit is executed at its price when a candle goes through it, and not when one only touches it', async () => {
  const at98 = { entry: { type: 'limit', price: '98' } } as const
  const through = await enter(at98, [{ open: '100' }, { open: '99', low: '97.9' }])
  assert.deepEqual([through.fills, through.ends], [[['buy', '98', 2]], ['DONE']])
  const touched = await enter(at98, [{ open: '100' }, { open: '99', low: '98' }])
  assert.deepEqual([touched.fills, touched.ends], [[], ['RESTING']])
  const jumped = await enter(at98, [{ open: '100' }, { open: '97' }])
  assert.deepEqual(jumped.fills, [['buy', '98', 1]])
})

test('within the candle of the entry, the worst price comes after it and the best one before', async () => {
  const options: SignalOptions = {
    entry: { type: 'limit', price: '98' },
    protection: { stop_loss: '2%', take_profit: [{ at: '3%', part: '1' }] },
  }
  const stopped = await enter(options, [{ open: '100' }, { open: '99', high: '103', low: '96' }])
  assert.deepEqual(stopped.fills, [
    ['buy', '98', 2],
    ['sell', '96.04', 2],
  ])
  const missed = await enter(options, [{ open: '100' }, { open: '99', high: '103', low: '97' }])
  assert.deepEqual(missed.fills, [['buy', '98', 2]])
})

test('its time is over at the first opening after it, and then the rest follows at that price', async () => {
  const entry = { type: 'limit', price: '98', timeout_seconds: 90 } as const
  const prices = [{ open: '100' }, { open: '101' }, { open: '102' }]
  const cancelled = await enter({ entry }, prices)
  assert.deepEqual([cancelled.fills, cancelled.ends], [[], ['IGNORED']])
  const market = await enter({ entry: { ...entry, on_timeout: 'market' } }, prices)
  assert.deepEqual([market.fills, market.ends], [[['buy', '102', 2]], ['DONE']])
})

test('a newer signal for the other side or an exit cancels it first, and one for the same side waits', async () => {
  const entry = { type: 'limit', price: '98' } as const
  const prices = [{ open: '100' }, { open: '100' }, { open: '100' }]
  const at = noon + 60_000
  const flipped = await enter({ entry }, prices, [{ action: 'SHORT', at }])
  assert.deepEqual([flipped.fills, flipped.ends], [[['sell', '100', 1]], ['IGNORED', 'DONE']])
  const exited = await enter({ entry }, prices, [{ action: 'EXIT', at }])
  assert.deepEqual([exited.fills, exited.ends], [[], ['IGNORED', 'IGNORED']])
  const again = await enter({ entry: { ...entry, timeout_seconds: 90 } }, prices, [{ action: 'LONG', at }])
  assert.deepEqual([again.fills, again.ends], [[['buy', '100', 2]], ['IGNORED', 'DONE']])
})
