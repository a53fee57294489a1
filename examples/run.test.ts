import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { generateCandles } from './candles/generate.ts'
import { expectedSignals } from './reactions/reference.ts'

const { PATH, NODE_COMPILE_CACHE } = process.env

type Ended = { code: number; stdout: string; stderr: string }

function runExample(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  const file = join(import.meta.dirname, 'run.ts')
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [file, ...args],
      { env: { PATH, NODE_COMPILE_CACHE, ...env }, timeout: 280_000 },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    )
  })
}

test('without a file it uses the sample, and prints every signal', async () => {
  const { code, stdout, stderr } = await runExample([])
  assert.equal(code, 0, stderr)
  const shown = stdout.split('\n').flatMap((line) => {
    const [, time, action, price] =
      /^(\d{4}-\d\d-\d\d \d\d:\d\d) {2}(LONG|SHORT|EXIT) +([\d.]+)$/.exec(line) ?? []
    return time === undefined ? [] : [[time, action, Number(price)]]
  })
  const expected = expectedSignals(generateCandles()).map(({ action, candle }) => [
    new Date(candle.time).toISOString().slice(0, 16).replace('T', ' '),
    action,
    candle.close,
  ])
  assert.deepEqual(shown, expected)
  assert.match(stdout, /600 candles posted, 600 runs succeeded, 0 failed, \d+ signals, in/)
  assert.match(stdout, /\nThe reaction has no open position\.\n$/)
})

test('an error names a missing file, and no service starts', async () => {
  const { code, stdout, stderr } = await runExample(['missing.csv'])
  assert.equal(code, 1)
  assert.equal(stderr, 'missing.csv cannot be read: the file does not exist.\n')
  assert.equal(stdout, '')
})

test('an error names the missing settings of a running service', async () => {
  const { code, stderr } = await runExample([], { TICKWRIGHT_URL: 'http://127.0.0.1:1' })
  assert.equal(code, 2)
  assert.match(stderr, /Not set: TICKWRIGHT_API_KEY, TICKWRIGHT_API_SECRET\./)
})

test('an error names the address of a service that does not answer', async () => {
  const { code, stderr } = await runExample([], {
    TICKWRIGHT_URL: 'http://127.0.0.1:1',
    TICKWRIGHT_API_KEY: 'key',
    TICKWRIGHT_API_SECRET: 'secret',
  })
  assert.equal(code, 1)
  assert.match(stderr, /^No answer from http:\/\/127\.0\.0\.1:1: /)
})

test('a second file is refused', async () => {
  const { code, stderr } = await runExample(['a.csv', 'b.csv'])
  assert.equal(code, 2)
  assert.match(stderr, /^Usage: npm run example/)
})
