import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explainAbsence } from './absent-members.ts'
import { inputOf, testSandbox } from './test-support.ts'

const { run } = await testSandbox()

const bare = inputOf({ strategy: { id: 1, type: 'code-strategy', signal: null } })

const sendSignal = (name: string) =>
  new RegExp(
    `: \\$\\.Strategy\\.${name} exists only if the strategy has send_signal on\\. Switch send_signal on\\.$`,
  )
const usePrice = /: \$\.Price exists only if the strategy has use_price on\. Switch use_price on\.$/
const reactionsOnly = /: \$\.Request exists only in code reactions\.$/

const uses: [code: string, explanation: RegExp][] = [
  ['await $.Strategy.action($.Action.LONG)', sendSignal('action')],
  [`  $.Strategy\n    .action('LONG')`, sendSignal('action')],
  [`const { Strategy } = $\nawait Strategy.action('LONG')`, sendSignal('action')],
  [`const { action } = $.Strategy\nawait action('LONG')`, sendSignal('action')],
  [`async function main() { await $.Strategy.action('LONG') }\nmain()`, sendSignal('action')],
  ['$.log($.Strategy.lastTrigger.action)', sendSignal('lastTrigger')],
  ['const { action } = $.Strategy.lastTrigger', sendSignal('lastTrigger')],
  ['$.Strategy.signalSymbols.map(String)', sendSignal('signalSymbols')],
  ['for (const symbol of $.Strategy.signalSymbols) $.log(symbol)', sendSignal('signalSymbols')],
  ['await $.Strategy.positions()', sendSignal('positions')],
  ['$.log($.Price.price)', usePrice],
  ['// €\u2028const a = 1\r\n$.log($\n  .Price\n  .price)', usePrice],
  [`$.Price['price']`, usePrice],
  ['const { price } = $.Price', usePrice],
  ['const { Price } = $\n$.log(1 + Price.price)', usePrice],
  ['JSON.parse($.Request.data)', reactionsOnly],
]

for (const [code, explanation] of uses) {
  test(`the error names the option that is off: ${JSON.stringify(code)}`, async () => {
    const { status, error } = await run(code, { input: bare })
    assert.equal(status, 'failed')
    assert.equal(error!.name, 'TypeError')
    assert.match(error!.message, explanation)
    assert.ok(error!.line! > 0 && error!.column! > 0)
  })
}

test('an error about something else stays as it is', async () => {
  for (const [code, message] of [
    ['const ticker = {}; ticker.Price.price', "Cannot read properties of undefined (reading 'price')"],
    ['const payload = {}; payload.action()', 'payload.action is not a function'],
    ['const $Price = undefined; $Price.price', "Cannot read properties of undefined (reading 'price')"],
    [`throw new Error('$.Strategy.action is not a function')`, '$.Strategy.action is not a function'],
  ] as const) {
    assert.equal((await run(code, { input: bare })).error!.message, message)
  }
  const on = inputOf({ price: { symbol: 'BTCUSDT', price: 1, exchange: 'sim', service: 'spot' } })
  const { error } = await run('$.Price.price.value.now', { input: on })
  assert.equal(error!.message, "Cannot read properties of undefined (reading 'now')")
})

test('a place that the code does not have, and a message of any size, do no harm', () => {
  const message = "Cannot read properties of undefined (reading 'x')"
  const at = (line: number | null, column: number | null) => ({ name: 'TypeError', message, line, column })
  for (const error of [at(null, null), at(1e9, 1), at(1, 1e9), at(1e9, 1e9), at(2, 1)])
    assert.deepEqual(explainAbsence(error, '$.x', bare), error)
  const before = process.threadCpuUsage()
  const odd = '$ . '.repeat(60_000)
  explainAbsence(at(1, odd.length), odd, bare)
  explainAbsence(at(1, odd.length), ' '.repeat(250_000), bare)
  explainAbsence({ ...at(1, 1), message: `${'a '.repeat(100_000)}is not a function` }, '', bare)
  const { user } = process.threadCpuUsage(before)
  assert.ok(user < 1_000_000, `${user} µs`)
})
