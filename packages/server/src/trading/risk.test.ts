import assert from 'node:assert/strict'
import { test } from 'node:test'
import { futuresRules, noon, PaperBench, plainSettings } from '../../test/trading.ts'
import { flatPosition } from './ledger.ts'
import { dayOf, type RiskInput, riskRefusal } from './risk.ts'

function refusalOf(settings: Partial<RiskInput['settings']>, changes: Partial<RiskInput> = {}) {
  return riskRefusal({
    settings: { ...plainSettings, ...settings },
    rules: futuresRules,
    position: flatPosition(),
    booksQuote: null,
    side: 'buy',
    size: '1',
    price: '100',
    signalAt: noon,
    now: noon,
    realisedToday: '0',
    ...changes,
  })
}

test('an opening in another currency than that of the books is refused', () => {
  const reason =
    'The books of this bot are in USDC, and BTC/USDT:USDT is traded in USDT; use another bot for USDT.'
  assert.equal(refusalOf({}, { booksQuote: 'USDC' }), reason)
  assert.equal(refusalOf({}, { booksQuote: 'USDT' }), null)
  // The symbols of some venues do not contain the quote currency.
  assert.equal(refusalOf({}, { booksQuote: 'USDT', rules: { symbol: 'BTCUSDT', quote: 'USDT' } }), null)
})

test('dust on the other side makes the position after an opening smaller', () => {
  const position = { ...flatPosition(), side: 'short' as const, size: '0.5', entryPrice: '100' }
  const limit = { maxPosition: '50' }
  assert.equal(refusalOf(limit, { position }), null)
  assert.match(refusalOf(limit, { position, side: 'sell' })!, /would be worth 150 USDT/)
  assert.match(refusalOf(limit, { position, size: '1.01' })!, /would be worth 51 USDT/)
})

test('without limits, nothing is refused', () => {
  assert.equal(refusalOf({}, { now: noon + 1e12, realisedToday: '-1000000', size: '1000000' }), null)
})

test('a signal is refused if it is older than the limit, not if it is exactly as old', () => {
  const limit = { maxSignalAgeSeconds: 60 }
  assert.equal(refusalOf(limit, { now: noon + 60_000 }), null)
  const reason =
    'The signal is 61 s old; the bot opens only on signals of at most 60 s (max_signal_age_seconds).'
  assert.equal(refusalOf(limit, { now: noon + 60_001 }), reason)
  assert.equal(refusalOf(limit, { now: noon - 5_000 }), null)
  assert.notEqual(refusalOf({ maxSignalAgeSeconds: 0 }, { now: noon + 1 }), null)
})

test('a cool-down lasts until its last millisecond', () => {
  const position = { ...flatPosition(), lastLossAt: noon }
  const limit = { cooldownSeconds: 300 }
  const reason =
    'BTC/USDT:USDT was closed with a loss 1 s ago; the bot opens it again after 300 s (cooldown_seconds).'
  assert.equal(refusalOf(limit, { position, now: noon + 1_000 }), reason)
  assert.notEqual(refusalOf(limit, { position, now: noon + 299_999 }), null)
  assert.equal(refusalOf(limit, { position, now: noon + 300_000 }), null)
  assert.equal(refusalOf(limit, { now: noon }), null)
})

test('a daily loss that reaches the limit refuses, and a gain never does', () => {
  const limit = { maxDailyLoss: '50' }
  assert.equal(refusalOf(limit, { realisedToday: '-49.999999' }), null)
  const reason =
    'The bot has lost 50 USDT today (UTC); from a loss of 50 USDT, it opens nothing more (max_daily_loss).'
  assert.equal(refusalOf(limit, { realisedToday: '-50' }), reason)
  assert.equal(refusalOf({ maxDailyLoss: '0' }, { realisedToday: '0' }), null)
  assert.equal(refusalOf(limit, { realisedToday: '70' }), null)
})

test('the position limit counts the position after the order, at the current price', () => {
  const position = { ...flatPosition(), side: 'long', size: '2', entryPrice: '1' } as const
  assert.equal(refusalOf({ maxPosition: '300' }, { position }), null)
  const reason =
    'The position in BTC/USDT:USDT would be worth 300.3 USDT; at most 300 USDT is allowed (max_position).'
  assert.equal(refusalOf({ maxPosition: '300' }, { position, price: '100.1' }), reason)
})

test('a day begins at midnight UTC', () => {
  assert.equal(dayOf(noon), noon - 12 * 3_600_000)
  assert.equal(dayOf(dayOf(noon)), dayOf(noon))
  assert.equal(dayOf(dayOf(noon) - 1), dayOf(noon) - 24 * 3_600_000)
})

test('no limit prevents a close', async () => {
  const bench = new PaperBench({ settings: { amount: '1000' } })
  await bench.follow('LONG')
  const strict = {
    ...bench.settings,
    maxPosition: '1',
    maxDailyLoss: '0.01',
    cooldownSeconds: 1_000,
    maxSignalAgeSeconds: 0,
  }
  bench.price = '50'
  const part = await bench.follow({ ...bench.signal('EXIT', { size: 4 }), at: 0 }, {}, { settings: strict })
  assert.equal(part.status, 'DONE')
  const flip = await bench.follow({ ...bench.signal('SHORT'), at: 0 }, {}, { settings: strict })
  assert.equal(flip.status, 'REFUSED')
  assert.equal((await bench.position()).side, null)
})

test('a daily loss ends at midnight', async () => {
  const bench = new PaperBench({ settings: { maxDailyLoss: '10' } })
  await bench.follow('LONG')
  bench.price = '80'
  await bench.follow('EXIT')
  const refused = await bench.follow('LONG')
  assert.equal(
    refused.reason,
    'The bot has lost 20 USDT today (UTC); from a loss of 10 USDT, it opens nothing more (max_daily_loss).',
  )
  bench.clock.moveTo(dayOf(noon) + 24 * 3_600_000)
  assert.equal((await bench.follow('LONG')).status, 'DONE')
})
