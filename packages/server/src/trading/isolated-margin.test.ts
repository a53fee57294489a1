import assert from 'node:assert/strict'
import { test } from 'node:test'
import { futuresRules, minuteCandle, noon, plainSettings } from '../../test/trading.ts'
import { plain } from '../base/decimals.ts'
import type { MarketConditions } from './market-conditions.ts'
import { noProtection } from './protection/settings.ts'
import { ReplayBot, type ReplayCandle } from './replay-bot.ts'
import type { BotSettings } from './types.ts'

const still = (index: number, price: string) => minuteCandle(index, { open: price })
const wild = (index: number, prices: { high: string; low: string; close?: string }) =>
  minuteCandle(index, { open: '100', ...prices })

/** Opens 10 at 100 with a leverage of 10, and so a margin of 100, in the first candle. */
async function hold(
  action: 'LONG' | 'SHORT',
  candles: ReplayCandle[],
  { settings = {}, ...conditions }: MarketConditions & { settings?: Partial<BotSettings> } = {},
) {
  const bot = new ReplayBot(
    futuresRules,
    { ...plainSettings, amount: '1000', leverage: 10, startBalance: '1000', ...settings },
    { maintenanceRate: '0', ...conditions },
  )
  bot.add({ action, at: noon })
  const ends: string[] = []
  for (const candle of [still(0, '100'), ...candles]) {
    const { equity, lowest } = await bot.along(candle)
    ends.push(`${plain(equity)}, at worst ${plain(lowest)}`)
  }
  const closed = bot.orders.filter(({ purpose }) => purpose === 'close').map(({ origin }) => origin)
  const prices = bot.fills.slice(1).map(({ price, fee }) => [price, fee])
  return { ends, closed, prices, bot }
}

test('a position is liquidated at the worst price of a candle, and loses its margin, as worked out by hand', async () => {
  // The margin of 10 from 100 on is 1000 ÷ 10 = 100, which is lost at 90.
  const long = await hold('LONG', [wild(1, { high: '101', low: '90' }), still(2, '100')])
  assert.deepEqual([long.closed, long.prices], [['liquidation'], [['90', '0']]])
  assert.deepEqual(long.ends.slice(1), ['900, at worst 900', '900, at worst 900'])
  const kept = await hold('LONG', [wild(1, { high: '101', low: '90.01', close: '100' })])
  assert.deepEqual([kept.closed, kept.ends[1]], [[], '1000, at worst 900.1'])
  const short = await hold('SHORT', [wild(1, { high: '110', low: '99' })])
  assert.deepEqual(
    [short.closed, short.prices, short.ends[1]],
    [['liquidation'], [['110', '0']], '900, at worst 900'],
  )
})

test('a maintenance margin liquidates earlier, and still takes all of the margin', async () => {
  // 90 ÷ 0.995 = 90.4522…, and 110 ÷ 1.005 = 109.4527….
  for (const [action, beyond, before] of [
    ['LONG', { high: '101', low: '90.45' }, { high: '101', low: '90.46' }],
    ['SHORT', { high: '109.46', low: '99' }, { high: '109.45', low: '99' }],
  ] as const) {
    const terms = { maintenanceRate: '0.005' }
    const lost = await hold(action, [wild(1, beyond)], terms)
    assert.deepEqual([lost.closed, lost.ends[1]], [['liquidation'], '900, at worst 900'])
    assert.deepEqual((await hold(action, [wild(1, before)], terms)).closed, [])
  }
})

test('a price that jumps beyond the end of the margin takes no more than the margin', async () => {
  const { closed, ends } = await hold('LONG', [still(1, '50')])
  assert.deepEqual([closed, ends[1]], [['liquidation'], '900, at worst 900'])
})

test('a stop before the end of the margin closes the position, and one behind it refuses the opening', async () => {
  const stop = (price: string) => ({ settings: { protection: { ...noProtection, stop_loss: price } } })
  const crash = [wild(1, { high: '100', low: '80' })]
  assert.deepEqual((await hold('LONG', crash, stop('95'))).closed, ['stop_loss'])
  for (const [action, price] of [
    ['LONG', '85'],
    ['SHORT', '110'],
  ] as const) {
    const { bot } = await hold(action, crash, stop(price))
    assert.deepEqual([bot.fills.length, bot.outcomes[0]!.outcome.status], [0, 'REFUSED'])
    assert.match(
      bot.outcomes[0]!.outcome.reason!,
      /^At a leverage of 10, the margin of an isolated (long|short) opened at 100 is used up at (90|110), and its stop would be at (85|110), too late/,
    )
  }
  // With the whole account as its margin, or without a leverage, nothing is liquidated.
  for (const settings of [{ marginMode: 'cross' as const }, { leverage: null }]) {
    const { closed } = await hold('LONG', crash, {
      settings: { ...stop('85').settings, ...settings, startBalance: '5000' },
      maintenanceRate: undefined as never,
    })
    assert.deepEqual(closed, ['stop_loss'])
  }
  assert.deepEqual((await hold('LONG', [still(1, '85')], stop('95'))).closed, ['liquidation'])
})

test('adding to a position moves the end of its margin, and a leverage of 1 is never used up by a long', async () => {
  // 10 at 100 and 10 at 110 cost 105 each: the margin ends at 94.5.
  const { bot } = await hold('LONG', [], {
    settings: { amountUnit: 'base', amount: '10', startBalance: '5000' },
  })
  bot.add({ action: 'LONG', at: noon + 60_000, options: { dilution: true } })
  await bot.along(still(1, '110'))
  await bot.along(minuteCandle(2, { open: '110', low: '94.51' }))
  assert.equal(bot.position.size, '20')
  await bot.along(minuteCandle(3, { open: '110', low: '94.5' }))
  assert.equal(bot.position.size, '0')
  const whole = { leverage: 1, startBalance: '2000' }
  const safe = await hold('LONG', [wild(1, { high: '100', low: '0.01' })], { settings: whole })
  assert.deepEqual(safe.closed, [])
})

test('if a candle hits a target and the end of the margin, the order of its prices decides, and either can be asked for', async () => {
  const both = [wild(1, { high: '120', low: '80' })]
  const settings = { protection: { ...noProtection, take_profit: [{ at: '115', part: '1' }] } }
  const worse = await hold('LONG', both, { settings })
  assert.deepEqual([worse.closed, worse.ends[1]], [['liquidation'], '900, at worst 900'])
  const better = await hold('LONG', both, { settings, firstExtreme: 'better' })
  assert.deepEqual([better.closed, better.ends[1]], [['take_profit'], '1150, at worst 1000'])
  assert.equal(worse.bot.hasGuessed, true)
  assert.equal((await hold('LONG', [still(1, '95')], { settings })).bot.hasGuessed, false)
})
