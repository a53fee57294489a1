import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PaperBench, spotRules } from '../../test/trading.ts'
import { decimal, plain } from '../base/decimals.ts'
import { type AmountSettings, conversionOf, fromQuote, toQuote } from './amounts.ts'

const cases: [settings: AmountSettings, quote: string, converted: string | null, reason?: string][] = [
  [{ amountCurrency: 'USDT', amountRate: null }, 'USDT', '100'],
  [{ amountCurrency: 'USDT', amountRate: 'BTC/USDT' }, 'USDT', '100'],
  [{ amountCurrency: 'USDT', amountRate: 'BTC/USDT' }, 'BTC', '0.002'],
  [{ amountCurrency: 'USDT', amountRate: 'BTC/USDT:USDT' }, 'BTC', '0.002'],
  [{ amountCurrency: 'BTC', amountRate: 'BTC/USDT' }, 'USDT', '5000000'],
  [{ amountCurrency: 'USDT', amountRate: null }, 'usdt', '100'],
  [
    { amountCurrency: 'USDT', amountRate: null },
    'BTC',
    null,
    'The amounts of the bot are in USDT, and ETH/X is quoted in BTC.',
  ],
  [
    { amountCurrency: 'USDT', amountRate: 'BTC/USDT' },
    'EUR',
    null,
    'The amounts of the bot are in USDT, and ETH/X is quoted in EUR. The market BTC/USDT (amount_rate) does not connect the two.',
  ],
]

for (const [settings, quote, converted, reason] of cases) {
  test(`100 ${settings.amountCurrency} by ${settings.amountRate} in ${quote} is ${converted ?? 'refused'}`, () => {
    const conversion = conversionOf(settings, { symbol: 'ETH/X', quote })
    if (conversion !== null && 'reason' in conversion) {
      assert.equal(converted, null)
      assert.equal(conversion.reason, reason)
      return
    }
    const rate = conversion === null ? null : { ...conversion, price: '50000' }
    const amount = toQuote(decimal('100'), rate)
    assert.equal(plain(amount), converted)
    assert.equal(plain(fromQuote(amount, rate)), '100')
  })
}

const ethBtc = { ...spotRules, symbol: 'ETH/BTC', base: 'ETH', quote: 'BTC', minNotional: '0.0001' }

test('a bot with amounts in USDT opens nothing on ETH/BTC, and sends nothing', async () => {
  const bench = new PaperBench({ rules: ethBtc })
  bench.price = '0.0497'
  const outcome = await bench.follow('LONG')
  assert.equal(outcome.status, 'REFUSED')
  assert.equal(outcome.reason, 'The amounts of the bot are in USDT, and ETH/BTC is quoted in BTC.')
  assert.deepEqual(bench.books.orders, [])
})

test('the reason names the rate at which an amount was converted', async () => {
  const bench = new PaperBench({ rules: ethBtc, settings: { amountRate: 'BTC/USDT', maxPosition: '150' } })
  bench.price = '0.05'
  bench.rates['BTC/USDT'] = '64000'
  const outcome = await bench.follow('LONG')
  assert.deepEqual(outcome, {
    status: 'DONE',
    reason: 'The amount was converted at a rate of 64000 (BTC/USDT).',
  })
  // 100 USDT are 0.0015625 BTC, which buy 0.03125 ETH, in steps of 0.001 ETH.
  assert.equal((await bench.position()).size, '0.031')
  const second = await bench.follow('LONG', { dilution: true, size: 60 })
  assert.match(second.reason!, /would be worth 156\.8 USDT; at most 150 USDT is allowed/)
  const small = await bench.follow('LONG', { dilution: true, size: 1 })
  assert.match(
    small.reason!,
    /^At a price of 0\.05 and a rate of 64000 \(BTC\/USDT\), 1 USDT is 0 ETH; the minimum order size/,
  )
  assert.equal((await bench.follow('EXIT')).status, 'DONE')
})

test('without a price of the rate, the bot waits, and then opens nothing', async () => {
  const bench = new PaperBench({ rules: ethBtc, settings: { amountRate: 'BTC/USDT' } })
  assert.deepEqual(await bench.follow('LONG'), { status: 'FAILED', reason: 'There is no market BTC/USDT.' })
  assert.deepEqual(bench.books.orders, [])
})
