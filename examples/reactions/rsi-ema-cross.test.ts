import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { checkText, type LastTrigger, openSandbox, storageByteLimit } from '@tickwright/sandbox'
import { generateCandles } from '../candles/generate.ts'
import { expectedSignals } from './reference.ts'

const code = await readFile(join(import.meta.dirname, 'rsi-ema-cross.js'), 'utf8')
const sandbox = await openSandbox({ executors: 1 })
after(() => sandbox.close())

const start = 1_704_067_200_000
let strategyIds = 0

/** A strategy with this code, its storage and its actions so far. */
function newStrategy() {
  strategyIds += 1
  const id = strategyIds
  let lastTrigger: LastTrigger = { action: null, price: null, at: null }
  const strategy = {
    storage: null as string | null,
    actions: [] as { action: string; id: string | undefined }[],
    async run(payload: unknown) {
      const outcome = await sandbox.run({
        strategyId: id,
        code,
        input: {
          strategy: { id, type: 'code-reaction', signal: { symbols: ['EXAMPLE'], lastTrigger } },
          storage: strategy.storage,
          request: { data: JSON.stringify(payload), headers: {}, ip: '127.0.0.1' },
          price: null,
          env: {},
        },
        host: {
          checkOptions: () => assert.fail('it protects nothing'),
          action: async (action, options) => {
            strategy.actions.push({ action, id: options.id })
            const at = Date.now()
            lastTrigger = { action, price: null, at }
            return {
              id: strategy.actions.length,
              action,
              symbols: ['EXAMPLE'],
              price: null,
              at,
              delivered: false,
            }
          },
          positions: async () => [],
          stop: async () => false,
          http: () => assert.fail('it makes no requests'),
          rate: () => assert.fail('it asks for no rates'),
          candles: () => assert.fail('it asks for no candles'),
          sign: () => assert.fail('it signs nothing'),
        },
      })
      if (outcome.storage !== undefined) strategy.storage = outcome.storage
      return outcome
    },
  }
  return strategy
}

test('the code has no forbidden identifier, not even in comments', () => {
  assert.deepEqual(checkText(code), [])
})

test('it acts on the same candles as the rule in plain arithmetic', async () => {
  const candles = generateCandles()
  const expected = expectedSignals(candles)
  assert.ok(expected.length >= 5)
  const strategy = newStrategy()
  for (const { time, close: last } of candles) {
    assert.equal((await strategy.run({ time, last })).status, 'completed')
  }
  assert.deepEqual(
    strategy.actions,
    expected.map(({ action, candle }) => ({ action, id: String(candle.time) })),
  )
})

test('its storage stays far below the limit, even with the longest prices', async () => {
  const strategy = newStrategy()
  for (let n = 1; n <= 250; n++) await strategy.run({ time: start + n, last: n / 3e-7 / 1e7 + 1e-7 })
  assert.ok(Buffer.byteLength(strategy.storage!) < storageByteLimit / 4)
  assert.equal(JSON.parse(strategy.storage!).prices.length, 200)
})

test('a repeated candle changes nothing', async () => {
  const strategy = newStrategy()
  await strategy.run({ time: start, last: 100 })
  const stored = strategy.storage
  for (const time of [start, start - 60_000]) {
    const outcome = await strategy.run({ time, last: 999 })
    assert.equal(outcome.status, 'completed')
  }
  assert.equal(strategy.storage, stored)
})

for (const [payload, message] of [
  [{ last: 1 }, '"time" must be a number: Unix milliseconds.'],
  [{ time: start, last: '101' }, '"last" must be a number above zero.'],
  [{ time: start, last: -1 }, '"last" must be a number above zero.'],
] as const) {
  test(`the payload ${JSON.stringify(payload)} fails the run and says why`, async () => {
    const outcome = await newStrategy().run(payload)
    assert.equal(outcome.status, 'failed')
    assert.equal(outcome.error?.message, message)
    assert.equal(outcome.storage, undefined)
  })
}
