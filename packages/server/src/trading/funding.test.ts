import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { futuresRules, minuteCandle, noon, plainSettings } from '../../test/trading.ts'
import { decimal, plain, zero } from '../base/decimals.ts'
import { type FundingMoment, type FundingRate, FundingUnknown, fundingMoments } from './funding.ts'
import { unrealised } from './ledger.ts'
import { ReplayBot, type ReplayCandle, type ReplaySignal } from './replay-bot.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

const rateAt = (hours: number, rate = '0.0001'): FundingRate => ({
  at: noon + hours * hourMs,
  rate,
  price: null,
})
const hoursOf = (moments: readonly FundingMoment[]) =>
  moments.map(({ at, rate }) => `${(at - noon) / hourMs} ${rate}`)

test('moments that the rates lack are found before, between and after them, and get the assumed rate', () => {
  const rates = [rateAt(8), rateAt(16), rateAt(40), rateAt(48)]
  const period = { fromMs: noon - 8 * hourMs, toMs: noon + 65 * hourMs }
  assert.deepEqual(hoursOf(fundingMoments(rates, { ...period, assumed: null })), [
    ...['-8 null', '0 null', '8 0.0001', '16 0.0001', '24 null', '32 null', '40 0.0001', '48 0.0001'],
    ...['56 null', '64 null'],
  ])
  const assumed = fundingMoments(rates, { ...period, assumed: '0.0003', everyMs: 8 * hourMs })
  assert.deepEqual(hoursOf(assumed).slice(0, 5), [
    '-8 0.0003',
    '0 0.0003',
    '8 0.0001',
    '16 0.0001',
    '24 0.0003',
  ])
  // A change from eight hours to four is no gap.
  const denser = fundingMoments([rateAt(0), rateAt(8), rateAt(16), rateAt(20)], {
    ...{ fromMs: noon, toMs: noon + 21 * hourMs, assumed: null },
  })
  assert.deepEqual(hoursOf(denser), ['0 0.0001', '8 0.0001', '16 0.0001', '20 0.0001'])
})

test('without rates, there are moments at 00:00, 08:00 and 16:00 UTC, from the first to before the end', () => {
  const moments = fundingMoments([], { fromMs: noon - 4 * hourMs, toMs: noon + 12 * hourMs, assumed: '0' })
  assert.deepEqual(hoursOf(moments), ['-4 0', '4 0'])
})

test('any number of moments may be missing, and a rate far beyond the period adds none', () => {
  const day = 24 * hourMs
  const rates = [rateAt(0), rateAt(1 / 60)]
  const year = fundingMoments(rates, { fromMs: noon, toMs: noon + 365 * day, assumed: '0' })
  assert.equal(year.length, (365 * day) / minuteMs)
  const far = [rateAt(-20_000_000), rateAt(0), rateAt(60_000_000)]
  const period = { fromMs: noon, toMs: noon + 3 * hourMs, everyMs: hourMs, assumed: null }
  assert.deepEqual(hoursOf(fundingMoments(far, period)), ['0 0.0001', '1 null', '2 null'])
})

/** Trades 2 from an equity of 10000 along candles, with one moment of funding. */
async function trade(
  candles: readonly ReplayCandle[],
  signals: readonly ReplaySignal[],
  funding: readonly FundingMoment[],
): Promise<{ bot: ReplayBot; ends: string[] }> {
  const settings = { ...plainSettings, amount: '2', amountUnit: 'base' as const }
  const bot = new ReplayBot(futuresRules, settings, { funding })
  for (const signal of signals) bot.add(signal)
  const ends: string[] = []
  for (const candle of candles) ends.push(plain((await bot.along(candle)).equity))
  return { bot, ends }
}

const still = (index: number, price: string) => minuteCandle(index, { open: price })
const signal = (minutes: number, action: ReplaySignal['action']) => ({
  action,
  at: noon + minutes * minuteMs,
})
const moment = (minutes: number, changes: Partial<FundingMoment> = {}): FundingMoment => {
  return { at: noon + minutes * minuteMs, rate: '0.01', price: null, ...changes }
}
const paid = ({ bot }: { bot: ReplayBot }) =>
  bot.payments.map(({ size, price, value }) => `${size} at ${price}: ${value}`)

test('a long pays its value × the rate, and a short receives it, as worked out by hand', async () => {
  const candles = [still(0, '100'), still(1, '110')]
  const long = await trade(candles, [signal(0, 'LONG')], [moment(1)])
  assert.deepEqual(paid(long), ['2 at 110: -2.2'])
  // 10000 + 2 × (110 - 100) - 2.2.
  assert.deepEqual(long.ends, ['10000', '10017.8'])
  const short = await trade(candles, [signal(0, 'SHORT')], [moment(1, { rate: '0.0105' })])
  assert.deepEqual(paid(short), ['-2 at 110: 2.31'])
  assert.deepEqual(short.ends, ['10000', '9982.31'])
  const marked = await trade(candles, [signal(0, 'LONG')], [moment(1, { rate: '-0.01', price: '109.5' })])
  assert.deepEqual(paid(marked), ['2 at 109.5: 2.19'])
})

test('at one moment, an order that waited for the price comes before funding, and a signal of that moment after it', async () => {
  const candles = [still(0, '100'), still(1, '100'), still(2, '100')]
  const none = await trade(candles, [signal(1, 'LONG')], [moment(1)])
  assert.deepEqual(paid(none), [])
  const waited = await trade(candles, [signal(0.5, 'LONG')], [moment(1)])
  assert.deepEqual(paid(waited), ['2 at 100: -2'])
  const closed = await trade(candles, [signal(0, 'LONG'), signal(1, 'EXIT')], [moment(1), moment(2)])
  assert.deepEqual(paid(closed), ['2 at 100: -2'])
  const closedBefore = await trade(candles, [signal(0, 'LONG'), signal(0.5, 'EXIT')], [moment(1)])
  assert.deepEqual(paid(closedBefore), [])
})

test('in a gap, the last price counts, and within a candle its opening', async () => {
  const candles = [minuteCandle(0, { open: '100', close: '101' }), still(5, '90')]
  const { bot } = await trade(candles, [signal(0, 'LONG')], [moment(0.5), moment(3), moment(5)])
  assert.deepEqual(paid({ bot }), ['2 at 100: -2', '2 at 101: -2.02', '2 at 90: -1.8'])
})

test('a position at a moment whose rate nobody knows is an error, and no position is none', async () => {
  const candles = [still(0, '100'), still(1, '100'), still(2, '100')]
  const unknown = [moment(1, { rate: null })]
  await assert.rejects(trade(candles, [signal(0, 'LONG')], unknown), (error) => {
    assert.ok(error instanceof FundingUnknown)
    assert.match(error.message, /no funding rate for 2026-01-05T12:01:00.000Z, when the bot held a position/)
    return true
  })
  await trade(candles, [signal(1, 'LONG')], unknown)
})

test('at any time, equity is the money of all fills and payments, and what is held at its price', async () => {
  const cents = fc
    .integer({ min: 1_000, max: 100_000 })
    .map((price) => plain(decimal(String(price)).div('100')))
  const rates = fc
    .integer({ min: -10_000, max: 10_000 })
    .map((rate) => plain(decimal(String(rate)).div('1000000')))
  const step = fc.record({
    open: cents,
    action: fc.constantFrom(null, 'LONG' as const, 'SHORT' as const, 'EXIT' as const),
    dilution: fc.boolean(),
    rate: fc.option(rates),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 2, maxLength: 15 }),
      fc.constantFrom('0', '0.001'),
      fc.constantFrom('0', '0.003'),
      async (steps, feeRate, spreadRate) => {
        const funding = steps.flatMap(({ rate }, index) => (rate === null ? [] : [moment(index, { rate })]))
        const settings = { ...plainSettings, feeRate, spreadRate, slippageRate: '0.0007', amount: '300' }
        const bot = new ReplayBot(futuresRules, settings, { funding, participation: '0.5' })
        for (const [index, { action, dilution }] of steps.entries()) {
          if (action !== null) bot.add({ ...signal(index - 0.5, action), options: { dilution } })
        }
        for (const [index, { open }] of steps.entries()) {
          const { equity, balance } = await bot.along({ ...still(index, open), volume: index % 4 })
          let [cash, held] = [decimal('10000'), zero]
          for (const { side, size, price, fee } of bot.fills) {
            const bought = side === 'buy' ? decimal(size) : decimal(size).neg()
            held = held.plus(bought)
            cash = cash.minus(bought.times(price)).minus(fee)
          }
          for (const { value } of bot.payments) cash = cash.plus(value)
          assert.equal(plain(equity), plain(cash.plus(held.times(open))))
          assert.equal(plain(balance), plain(equity.minus(unrealised(bot.position, open))))
        }
      },
    ),
    { numRuns: 60 },
  )
})
