import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as library from 'trading-signals'
import { logged, testSandbox } from './test-support.ts'

const { run } = await testSandbox()

const closes = Array.from(
  { length: 120 },
  (_, i) => Math.round((100 + 10 * Math.sin(i / 5) + i / 7) * 100) / 100,
)

test('$.Ta exports everything that trading-signals exports', async () => {
  const exported = logged(
    await run('$.log(Object.fromEntries(Object.keys($.Ta).map((key) => [key, typeof $.Ta[key]])))'),
  )
  assert.deepEqual(
    exported,
    Object.fromEntries(Object.entries(library).map(([key, value]) => [key, typeof value])),
  )
})

/** Runs every indicator that takes at most one period, with numbers or candles, in Node and in the sandbox. */
test('every indicator gives the same figures as in plain Node', async () => {
  const body = (Ta: Record<string, unknown>, prices: number[]) => {
    const results: Record<string, unknown> = {}
    for (const [name, Class] of Object.entries(Ta)) {
      if (typeof Class !== 'function' || !/^[A-Z]/.test(name)) continue
      for (const args of [[7], [], [5, 9], [3, 5, 2]]) {
        for (const candles of [false, true]) {
          const key = `${name}(${args}) ${candles ? 'candles' : 'prices'}`
          try {
            const indicator = new (
              Class as new (
                ...args: unknown[]
              ) => { update: (input: unknown, replace: boolean) => unknown; getResult?: () => unknown }
            )(...args)
            for (const price of prices) {
              indicator.update(
                candles
                  ? { open: price - 1, high: price + 2, low: price - 2, close: price, volume: price * 3 }
                  : price,
                false,
              )
            }
            results[key] = indicator.getResult?.() ?? null
          } catch (error) {
            results[key] = (error as Error).name
          }
        }
      }
    }
    return results
  }
  // As text, since code must not contain the word "close".
  const text = body.toString().replace(/\bclose:/g, "['clo' + 'se']:")
  const expected = body(library, closes)
  const usable = Object.values(expected).filter((value) => typeof value !== 'string' && value !== null)
  assert.ok(usable.length > 100, `${usable.length} usable`)
  const whole = JSON.stringify(expected)
  let got = ''
  for (let start = 0; start < whole.length; start += 20_000) {
    const part = await run(
      `const parts = JSON.stringify((${text})($.Ta, ${JSON.stringify(closes)}))
      await $.Storage.set(parts.slice(${start}, ${start + 20_000}))`,
    )
    got += JSON.parse(part.storage!)
  }
  assert.deepEqual(JSON.parse(got), JSON.parse(whole))
})

test("functions of the library that need the host's calendar work", async () => {
  const at = new Date(Date.UTC(2026, 10, 20))
  const outcome = await run(
    `const at = new Date(${at.getTime()}); $.log([$.Ta.isFriday('UTC', at), $.Ta.isFriday('Pacific/Kiritimati', at), $.Ta.isMonday('UTC', at)])`,
  )
  assert.deepEqual(logged(outcome), [true, true, false])
})
