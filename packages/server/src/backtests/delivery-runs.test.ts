import assert from 'node:assert/strict'
import { test } from 'node:test'
import { read } from '../../../../test/repository.ts'
import { rowsOf } from '../../../../test/tables.ts'
import { arriving, logsOf, market, minuteMs, noonMs, run } from '../../test/backtesting.ts'

/** For each row of the table: code that logs, and what it logs half a minute after the end of the second candle. */
const foundOnDelivery: Record<string, [code: string, log: unknown]> = {
  '$.Request': [
    '[$.Request.data, $.Request.headers["user-agent"], $.Request.ip].join()',
    '{"n":1},feed 1,192.0.2.1',
  ],
  '$.Price': ['$.Price.price', '103'],
  '$.getExchangeRate': ['await $.getExchangeRate($.Exchange.BINANCE, "BTCUSDT")', '103'],
  '$.candles': ['(await $.candles("BTCUSDT", "1m", 5)).map(({ last }) => last).join()', '100,103'],
  '$.Strategy.positions': ['(await $.Strategy.positions())[0].unrealised', '3'],
  Date: [`Date.now() - ${noonMs}`, String(2.5 * minuteMs)],
}

test('the document says what code finds on a delivery', async () => {
  const rows = rowsOf(await read('docs/backtests.md'), 'member on a delivery').map(([member]) => member)
  assert.deepEqual(rows, Object.keys(foundOnDelivery))
  const data = market(['100', '100 107 99 103', '104', '104'])
  const deliveries = arriving([1, 2.5])
  for (const [member, [code, log]] of Object.entries(foundOnDelivery)) {
    const whole = `if ($.Request.data === '{"n":0}') await $.Strategy.action('LONG'); else $.log(${code})`
    assert.deepEqual(await logsOf(whole, data, { deliveries }), [log], member)
  }
})

test('a delivery runs with the price that was known, and is skipped without one, as live', async () => {
  // The third candle is missing.
  const data = market(['100', '101', null, '103', '104', '105'])
  const minutes = [0, 0.5, 1, 1, 1.9, 2, 2.001, 3, 3.5, 4, 4.5, 6]
  const code = '$.log(JSON.parse($.Request.data).n, $.Price?.price)'
  const known = ['2 100', '3 100', '4 100', '5 101', '9 103', '10 103', '11 105']
  assert.deepEqual(await logsOf(code, data, { deliveries: arriving(minutes) }), known)
  const free = await logsOf(code, data, { deliveries: arriving(minutes, { usesPrice: false }) })
  assert.deepEqual(
    free,
    minutes.map((_, n) => `${n} undefined`),
  )
  const within = { warmUp: 1, first: 1, end: 2, deliveries: arriving(minutes) }
  assert.deepEqual(await logsOf(code, data, within), known.slice(0, 4))
})

test('at one moment comes the price, then what waited for it, and then the deliveries in their order', async () => {
  const data = market(['100', '101', '102', '103', '104'])
  // The first waits for the opening at minute 2. The next three come at that moment, and a last one within the candle.
  const deliveries = arriving([1.5, 2, 2, 2, 2.5, 4.5])
  const code = `
    const { n } = JSON.parse($.Request.data)
    const [held] = await $.Strategy.positions()
    $.log(n, $.Price.price, held?.side ?? '-', held?.size ?? '-', held?.signal.status ?? '-')
    if (n === 0) await $.Strategy.action('LONG')
    if (n === 2) await $.Strategy.action('EXIT')
    if (n === 5) await $.Strategy.action('LONG')`
  const [done] = await run(code, data, [{}], { deliveries })
  assert.deepEqual(
    done!.decisions.logs.map(({ log }) => log.trim()),
    [
      ...['0 100 - - -', '1 101 long 0.98 DONE', '2 101 long 0.98 DONE', '3 101 long 0.98 QUEUED'],
      ...['4 101 - - -', '5 103 - - -'],
    ],
  )
  assert.deepEqual(
    done!.traded.fills.map(({ timeMs, side, price }) => [(timeMs - noonMs) / minuteMs, side, price]),
    [
      [2, 'buy', 102],
      [2, 'sell', 102],
    ],
  )
  assert.deepEqual(
    done!.traded.signals.map(({ timeMs, outcome }) => [(timeMs - noonMs) / minuteMs, outcome]),
    [
      [1.5, 'DONE'],
      [2, 'DONE'],
      [4.5, 'UNFOLLOWED'],
    ],
  )
})

test('signals on deliveries are followed the same, whether the code asks what its bot holds or not', async () => {
  const data = market(Array.from({ length: 30 }, (_, minute) => `${100 + (minute % 7)}`))
  const deliveries = arriving(Array.from({ length: 90 }, (_, n) => Math.floor(n / 2) * 0.6 + 1))
  const code = (asks: string) => `
    const { n } = JSON.parse($.Request.data)
    ${asks}
    if (n % 11 === 3) await $.Strategy.action('LONG', { protection: { stop_loss: '2%' } })
    if (n % 11 === 9) await $.Strategy.action('EXIT')
    if (n % 23 === 5) await $.Strategy.action('SHORT')`
  const changes = { deliveries, warmUp: 0, first: 3 }
  const [plain] = await run(code(''), data, [{ delaySeconds: 20 }], changes)
  const [asking] = await run(code('await $.Strategy.positions()'), data, [{ delaySeconds: 20 }], changes)
  assert.ok(plain!.traded.fills.length > 8)
  assert.deepEqual(asking!.traded, plain!.traded)
  assert.ok(plain!.decisions.signals.length > plain!.traded.signals.length)
})
