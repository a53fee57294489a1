import assert from 'node:assert/strict'
import { test } from 'node:test'
import { packCandles } from './candles.ts'
import type { CalledStep, LoggedStep } from './index.ts'
import { timedLinesPerRun } from './limits.ts'
import { inputOf, newStrategyId, recordingHost, testSandbox } from './test-support.ts'

const { run, sandbox } = await testSandbox()

const isLine = (step: LoggedStep | CalledStep): step is LoggedStep => Array.isArray(step)

/** What happened, without times. */
const shapeOf = (steps: readonly (LoggedStep | CalledStep)[]) =>
  steps.map((step) => (isLine(step) ? step[1] : [step.name, step.asked, step.answered, step.failed]))

test('lines and host calls have their times, in the order of the code', async () => {
  const host = recordingHost({
    http: async ({ url }) => {
      await new Promise((resolve) => setTimeout(resolve, 30))
      return { status: 404, text: 'secret body', cache: true, address: url.replace('password', '***') }
    },
    sign: async () => {
      throw new Error('This is no key.')
    },
    rate: async () => 1.5,
    candles: async () => packCandles([]),
  })
  const { steps, log } = await run(
    `$.log('before')
     const got = await $.Http.post('https://a.example/password', { hidden: 'body' })
     $.log(Object.keys(got).join())
     await $.Http.generateSignature('hidden payload', 'hidden secret').catch(() => {})
     await $.getExchangeRate($.Exchange.KRAKEN, 'BTC/USDT')
     await $.candles('BTC/USDT', '1m', 5, { exchange: 'KRAKEN' })
     await $.Strategy.positions()
     await $.Strategy.stop()
     await $.Strategy.action($.Action.LONG)`,
    { host },
  )
  assert.deepEqual(shapeOf(steps!.steps), [
    'before\n'.length,
    ['http', 'POST https://a.example/***', 'Status 404, 11 characters, from the cache.', false],
    'status,text,cache\n'.length,
    ['sign', 'HMAC', 'This is no key.', true],
    ['rate', 'KRAKEN BTC/USDT', '1.5', false],
    ['candles', '5 of 1m BTC/USDT KRAKEN', '0 candles.', false],
    ['positions', '', '0 positions.', false],
    ['stop', '', 'The strategy is INACTIVE.', false],
    ['action', 'LONG', 'Signal 1.', false],
  ])
  assert.equal(log, 'before\nstatus,text,cache\n')
  assert.doesNotMatch(JSON.stringify(steps), /hidden|secret|body/)
  const times = steps!.steps.map((step) => (isLine(step) ? step[0] : step.ms))
  assert.deepEqual(
    times,
    times.toSorted((one, other) => one - other),
  )
  const request = steps!.steps[1] as CalledStep
  assert.ok(request.tookMs! >= 29, `the request took ${request.tookMs} ms`)
  assert.ok(times[2]! - request.ms >= 29, 'the line after it is later by as much')
  assert.ok(steps!.waitedMs >= 0)
})

test('a run that logs and calls nothing has no steps', async () => {
  assert.equal((await run('await $.Storage.set(1)')).steps, null)
  assert.equal((await run('this is no code')).steps, null)
})

test('quick runs, whose isolates are entered directly, have their steps too', async () => {
  const strategyId = newStrategyId()
  for (let count = 0; count < 12; count++) {
    const { steps } = await sandbox.run({
      ...{ strategyId, input: inputOf(), host: recordingHost() },
      code: `$.log('a'); await $.Strategy.action('LONG'); $.log('bc')`,
    })
    assert.deepEqual(shapeOf(steps!.steps), [2, ['action', 'LONG', 'Signal 1.', false], 3])
  }
})

test('a call that has no answer when the run ends says so', async () => {
  const host = recordingHost({ http: () => new Promise(() => {}) })
  const { steps } = await run(`$.Http.get('https://a.example/').catch(() => {}); $.log(1)`, { host })
  assert.deepEqual(
    steps!.steps.map((step) => (isLine(step) ? 'line' : step.tookMs)),
    [null, 'line'],
  )
})

test('only the first lines of a log have times, and every call does', async () => {
  const { steps } = await run(
    `for (let n = 0; n < 1000; n++) $.log(n % 10); for (let n = 0; n < 200; n++) await $.getExchangeRate('KRAKEN', 'BTC')`,
  )
  const lines = steps!.steps.filter(isLine)
  assert.equal(lines.length, timedLinesPerRun)
  assert.equal(steps!.steps.length - lines.length, 200)
})
