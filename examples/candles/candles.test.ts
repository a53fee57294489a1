import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { CandleFileError, csvHeader, parseCandles, readCandleFile } from './csv.ts'
import { generateCandles, sampleFile, toCsv } from './generate.ts'

const good = '1704067200000,100,102,99,101.5,10'

test('the sample file is the output of the generator', async () => {
  assert.equal(await readFile(sampleFile, 'utf8'), toCsv(generateCandles()))
})

test('the reader returns the candles that the generator made', async () => {
  assert.deepEqual(await readCandleFile(sampleFile), generateCandles())
})

test('the reader accepts a byte order mark, carriage returns, capitals and empty lines', () => {
  const text = `\uFEFFTime, Open, High, Low, Close, Volume\r\n${good}\r\n\r\n`
  assert.deepEqual(parseCandles(text, 'file'), [
    { time: 1704067200000, open: 100, high: 102, low: 99, close: 101.5, volume: 10 },
  ])
})

for (const [what, rows, message] of [
  ['too few values', ['1704067200000,100'], 'line 2: the line must have 6 values, but has 2'],
  ['text instead of a number', [good.replace('102', 'high')], 'line 2: high must be a number, got "high"'],
  ['an empty value', [good.replace('101.5', '')], 'line 2: close must be a number, got ""'],
  [
    'times in seconds',
    [good.replace('000,', ',')],
    'line 2: time must be a whole number of Unix milliseconds',
  ],
  ['a repeated time', [good, good], 'line 3: times must increase from line to line'],
  ['a high below the close', [good.replace('102', '101')], 'line 2: open and close must be between'],
  ['a price of zero', [good.replace('99', '0')], 'line 2: prices must be greater than zero'],
  ['no rows', [], 'has no candles'],
] as const) {
  test(`${what}: the message says which line and why`, () => {
    const text = [csvHeader, ...rows].join('\n')
    assert.throws(
      () => parseCandles(text, 'candles.csv'),
      (error: Error) => error instanceof CandleFileError && error.message.includes(message),
    )
  })
}

test('an error names a wrong header, a folder and a missing file', async () => {
  assert.throws(
    () => parseCandles('date,price\n', 'candles.csv'),
    /The first line of candles\.csv must be .* not "date,price"/,
  )
  await assert.rejects(readCandleFile(import.meta.dirname), /cannot be read: it is a folder/)
  await assert.rejects(readCandleFile('missing.csv'), /missing\.csv cannot be read: the file does not exist/)
})

const sharedFolder = join(import.meta.dirname, '../../../shared/data')
for (const [name, rows] of [
  ['altbtc-1m.csv', 13_681],
  ['eurusd-1h.csv', 5_000],
] as const) {
  const path = join(sharedFolder, name)
  const skip = existsSync(path) ? false : `needs ../shared/data/${name} beside the project`
  test(`the reader accepts real candles: ${name}`, { skip }, async () => {
    assert.equal((await readCandleFile(path)).length, rows)
  })
}
