import assert from 'node:assert/strict'
import { test } from 'node:test'
import { futuresRules, noon, PaperBench, plainSettings } from '../../test/trading.ts'
import { VenueUnreachable } from '../market/price-source.ts'
import { flatPosition } from './ledger.ts'
import {
  dayOf,
  lossReachedAtOpening,
  openLosses,
  type RiskInput,
  riskRefusal,
  type TradingDay,
} from './risk.ts'

type Changes = Partial<Omit<RiskInput, 'day'>> & { day?: Partial<TradingDay> }

function riskOf(settings: Partial<RiskInput['settings']>, { day, ...changes }: Changes): RiskInput {
  return {
    settings: { ...plainSettings, ...settings },
    rules: futuresRules,
    position: flatPosition(),
    booksQuote: null,
    side: 'buy',
    size: '1',
    price: '100',
    signalAt: noon,
    now: noon,
    rate: null,
    elsewhere: null,
    drawdown: null,
    day: { realised: '0', unrealisedLosses: '0', unpriced: [], limitReachedAt: null, ...day },
    ...changes,
  }
}

function refusalOf(settings: Partial<RiskInput['settings']>, changes: Changes = {}) {
  return riskRefusal(riskOf(settings, changes))
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

test('a bot with a direction opens only such positions, and says so before it has a price', async () => {
  const reason =
    'A short position in BTC/USDT:USDT is not allowed: the bot opens only long positions (direction).'
  assert.equal(refusalOf({ direction: 'long' }, { side: 'sell' }), reason)
  assert.equal(refusalOf({ direction: 'long' }, { side: 'buy' }), null)
  assert.equal(refusalOf({ direction: 'short' }, { side: 'sell' }), null)
  assert.match(refusalOf({ direction: 'short' })!, /^A long position .* only short positions/)
  const bench = new PaperBench({ settings: { direction: 'long' } })
  bench.price = new VenueUnreachable('There is no price.')
  assert.deepEqual(await bench.follow('SHORT'), { status: 'REFUSED', reason })
  assert.equal(bench.clock.now(), noon)
})

test('a position too many is refused, and the reason names the others', () => {
  const limit = { maxOpenPositions: 2 }
  assert.equal(refusalOf(limit, { elsewhere: ['ETH/USDT'] }), null)
  assert.equal(
    refusalOf(limit, { elsewhere: ['ETH/USDT', 'BTC/USDT'] }),
    'The bot would have 3 open positions, with BTC/USDT, ETH/USDT; at most 2 are allowed (max_open_positions).',
  )
  assert.equal(
    refusalOf({ maxOpenPositions: 1 }, { elsewhere: ['E/U', 'D/U', 'C/U', 'B/U', 'A/U'] }),
    'The bot would have 6 open positions, with A/U, B/U, C/U and 2 more; at most 1 is allowed (max_open_positions).',
  )
})

test('dust takes no place of another position, unless nobody knows the rules of its market', async () => {
  const bench = new PaperBench({ settings: { maxOpenPositions: 1 } })
  const dust = { clientOrderId: 'before', symbol: 'ETH/USDT:USDT', side: 'buy', size: '0.0004' } as const
  await bench.books.plan(0, { ...dust, purpose: 'open', reduceOnly: false })
  const fill = { tradeId: '1', size: dust.size, price: '100', fee: '0', feeAsset: 'USDT', filledAt: noon }
  const report = { exchangeOrderId: null, status: 'FILLED', executions: [fill], reason: null } as const
  await bench.books.report('before', { ...report, executions: [fill] }, { ...futuresRules, feeRates: {} })
  const rules = bench.venue.rules.bind(bench.venue)
  bench.venue.rules = async (symbol) => {
    if (symbol === dust.symbol) throw new VenueUnreachable('Nobody is there.')
    return rules(symbol)
  }
  assert.match((await bench.follow('LONG')).reason!, /2 open positions, with ETH\/USDT:USDT; at most 1 is/)
  bench.venue.rules = rules
  assert.equal((await bench.follow('LONG')).status, 'DONE')
  assert.equal((await bench.follow('LONG', { dilution: true })).status, 'DONE')
})

test('without limits, nothing is refused', () => {
  assert.equal(refusalOf({}, { now: noon + 1e12, day: { realised: '-1000000' }, size: '1000000' }), null)
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
  assert.equal(refusalOf(limit, { day: { realised: '-49.999999' } }), null)
  const reason =
    'The bot has lost 50 USDT today (UTC); from a loss of 50 USDT, it opens nothing more (max_daily_loss).'
  assert.equal(refusalOf(limit, { day: { realised: '-50' } }), reason)
  assert.equal(refusalOf({ maxDailyLoss: '0' }, { day: { realised: '0' } }), null)
  assert.equal(refusalOf(limit, { day: { realised: '70' } }), null)
})

test('what open positions have lost counts for the daily loss, and gains of others do not reduce it', () => {
  const position = (side: 'long' | 'short', entryPrice: string) => ({
    ...flatPosition(),
    ...{ side, entryPrice, size: '2' },
  })
  const losses = openLosses([
    { symbol: 'A/USDT', position: position('long', '100'), price: '90' },
    { symbol: 'B/USDT', position: position('short', '100'), price: '101.5' },
    { symbol: 'C/USDT', position: position('long', '100'), price: '500' },
    { symbol: 'D/USDT', position: position('long', '100'), price: null },
  ])
  assert.deepEqual(losses, { unrealisedLosses: '23', unpriced: ['D/USDT'] })
})

/** The limit is 50. */
const days: [
  day: Partial<TradingDay>,
  rate: RiskInput['rate'],
  reason: string | null,
  loss: string | null,
][] = [
  [{ unrealisedLosses: '49.99' }, null, null, null],
  [{ realised: '-30', unrealisedLosses: '19.99' }, null, null, null],
  [
    { realised: '-30', unrealisedLosses: '20' },
    null,
    'The bot has lost 50 USDT today (UTC), 20 USDT of it in open positions; from a loss of 50 USDT, it opens nothing more (max_daily_loss).',
    '50',
  ],
  [{ realised: '70', unrealisedLosses: '104' }, null, null, null],
  [
    { unrealisedLosses: '104' },
    null,
    'The bot has lost 104 USDT today (UTC), 104 USDT of it in open positions; from a loss of 50 USDT, it opens nothing more (max_daily_loss).',
    '104',
  ],
  [
    { unpriced: ['ETH/USDT'] },
    null,
    'There is no current price of ETH/USDT, so nobody knows what the bot has lost today, and it opens nothing (max_daily_loss).',
    null,
  ],
  [
    { unpriced: ['ETH/USDT'], realised: '-50' },
    null,
    'The bot has lost 50 USDT today (UTC); from a loss of 50 USDT, it opens nothing more (max_daily_loss).',
    '50',
  ],
  [
    { limitReachedAt: noon - 3_600_000 },
    null,
    'The loss of the bot reached 50 USDT today at 11:00 UTC; it opens nothing more until 00:00 UTC (max_daily_loss).',
    null,
  ],
  [{ limitReachedAt: noon - 13 * 3_600_000 }, null, null, null],
  // The books are in BTC: 0.001 BTC at 60,000 USDT.
  [
    { realised: '-0.001' },
    { market: 'BTC/USDT', divides: true, price: '60000' },
    'The bot has lost 60 USDT today (UTC); from a loss of 50 USDT, it opens nothing more (max_daily_loss).',
    '60',
  ],
  [{ realised: '-0.001' }, { market: 'BTC/USDT', divides: true, price: '40000' }, null, null],
]

for (const [day, rate, reason, loss] of days) {
  test(`a daily loss of ${JSON.stringify(day)} at ${rate?.price ?? 'no'} rate ${reason === null ? 'allows' : 'refuses'} an opening`, () => {
    const limit = { maxDailyLoss: '50' }
    assert.equal(refusalOf(limit, { day, rate }), reason)
    assert.equal(lossReachedAtOpening(riskOf(limit, { day, rate }))?.loss ?? null, loss)
    assert.equal(refusalOf({}, { day, rate }), null)
  })
}

test('the rate of a market does not count for books in another currency', () => {
  const rate = { market: 'BTC/USDT', divides: true, price: '60000' }
  const rules = { symbol: 'ETH/BTC', quote: 'BTC' }
  const risk = riskOf({ maxDailyLoss: '50' }, { day: { realised: '-1' }, rate, rules, booksQuote: 'USDT' })
  assert.match(riskRefusal(risk)!, /^The books of this bot are in USDT/)
  assert.equal(lossReachedAtOpening(risk), null)
})

test('the position limit is in the currency of the amounts', () => {
  const rate = { market: 'BTC/USDT', divides: true, price: '60000' }
  const rules = { symbol: 'ETH/BTC', quote: 'BTC' }
  const limit = { maxPosition: '300' }
  // 1 ETH at 0.005 BTC.
  assert.equal(refusalOf(limit, { rate, rules, price: '0.005' }), null)
  const reason =
    'The position in ETH/BTC would be worth 360 USDT; at most 300 USDT is allowed (max_position).'
  assert.equal(refusalOf(limit, { rate, rules, price: '0.006' }), reason)
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
    direction: 'long',
    maxOpenPositions: 0,
  } as const
  bench.price = '50'
  const part = await bench.follow({ ...bench.signal('EXIT', { size: 4 }), at: 0 }, {}, { settings: strict })
  assert.equal(part.status, 'DONE')
  const flip = await bench.follow({ ...bench.signal('SHORT'), at: 0 }, {}, { settings: strict })
  assert.equal(flip.status, 'REFUSED')
  assert.equal((await bench.position()).side, null)
})

test('a bot whose open position has lost the limit opens nothing more that day, even after the price recovers', async () => {
  const bench = new PaperBench({ settings: { maxDailyLoss: '5', amount: '1000' } })
  await bench.follow('LONG')
  bench.price = '89.6'
  const refused = await bench.follow('LONG', { dilution: true })
  assert.equal(
    refused.reason,
    'The bot has lost 104 USDT today (UTC), 104 USDT of it in open positions; from a loss of 5 USDT, it opens nothing more (max_daily_loss).',
  )
  bench.price = '120'
  const later = await bench.follow('LONG', { dilution: true })
  assert.match(later.reason!, /reached 5 USDT today at 12:00 UTC; it opens nothing more until 00:00 UTC/)
  assert.equal((await bench.follow('EXIT')).status, 'DONE')
  bench.clock.moveTo(dayOf(noon) + 24 * 3_600_000)
  assert.equal((await bench.follow('LONG')).status, 'DONE')
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
