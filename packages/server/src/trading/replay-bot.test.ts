import assert from 'node:assert/strict'
import { test } from 'node:test'
import { futuresRules, minuteCandle, noon, plainSettings } from '../../test/trading.ts'
import { plain } from '../base/decimals.ts'
import type { SignalOptions } from '../db/schema.ts'
import { type CandleEnd, ReplayBot } from './replay-bot.ts'

/** One unit at 100, in the direction of the signal. */
function botWith(action: 'LONG' | 'SHORT', options: SignalOptions = {}) {
  const bot = new ReplayBot(futuresRules, { ...plainSettings, amount: '100', feeRate: '0.01' })
  bot.add({ action, at: noon, options })
  return bot
}

const shown = ({ balance, equity, lowest }: CandleEnd) => [balance, equity, lowest].map(plain)

test('the lowest equity within a candle is that at its worst price for the position', async () => {
  const candle = minuteCandle(0, { open: '100', high: '107', low: '96', close: '102' })
  const long = await botWith('LONG').along(candle)
  assert.deepEqual(shown(long), ['9999', '10001', '9995'])
  const short = await botWith('SHORT').along(candle)
  assert.deepEqual(shown(short), ['9999', '9997', '9992'])
  const flat = await new ReplayBot(futuresRules, plainSettings).along(candle)
  assert.deepEqual(shown(flat), ['10000', '10000', '10000'])
})

test('a price beyond the stop takes nothing more from the lowest equity', async () => {
  const bot = botWith('LONG', { protection: { stop_loss: '2%' } })
  const end = await bot.along(minuteCandle(0, { open: '100', high: '107', low: '90', close: '102' }))
  assert.deepEqual(shown(end), ['9996.02', '9996.02', '9996.02'])
})

test('at its end, a replay closes what is open at the last close, and calls off what rests', async () => {
  const candle = minuteCandle(0, { open: '100', close: '102' })
  const bot = botWith('LONG')
  await bot.along(candle)
  const end = await bot.end(candle)
  assert.deepEqual(shown(end), ['9999.98', '9999.98', '9999'])
  const [, close] = bot.orders
  assert.equal(close?.origin, 'end')
  assert.deepEqual(
    bot.fills.map(({ side, price, filledAt }) => [side, price, filledAt]),
    [
      ['buy', '100', noon],
      ['sell', '102', noon + 60_000],
    ],
  )
  const resting = botWith('LONG', { entry: { type: 'limit', price: '98' } })
  await resting.along(candle)
  assert.equal(resting.outcomes[0]?.outcome.status, 'RESTING')
  await resting.end(candle)
  assert.equal(resting.outcomes[0]?.outcome.status, 'IGNORED')
  assert.equal(resting.fills.length, 0)
})
