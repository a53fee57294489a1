import assert from 'node:assert/strict'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { altbtc, eurusd } from '../../../test/shared-candles.ts'
import { parseCandles, readCandleFile } from './candle-file.ts'

const header = 'time,open,high,low,close'
const parse = (...lines: string[]) => parseCandles(Buffer.from(lines.join('\n')), 'my.csv')
const row = (time: string | number) => `${time},1,2,0.5,1.5`
const minutes = [1_700_000_040_000, 1_700_000_100_000, 1_700_000_160_000]

test('candles are read as they are, with or without volume', () => {
  const candles = parse(`${header},volume`, '1700000040000,10,12.5,9,11,0', '1700000100000,11,11,1e1,10.25,3')
  assert.deepEqual([...candles.times], minutes.slice(0, 2))
  assert.deepEqual([...candles.opens, ...candles.highs], [10, 11, 12.5, 11])
  assert.deepEqual([...candles.lows, ...candles.closes], [9, 10, 11, 10.25])
  assert.equal(candles.periodMs, 60_000)
  assert.equal(candles.decimals, 2)
  assert.deepEqual([...parse(header, ...minutes.map(row)).times], minutes)
})

test('a file may come from a spreadsheet', () => {
  const text = `\uFEFFTime, Open, High, Low, Close\r\n 1700000040000 , 1,2 ,0.5,1.5\r\n\r\n${row(minutes[1]!)}\r\n\r\n`
  assert.deepEqual([...parseCandles(Buffer.from(text), 'my.csv').times], minutes.slice(0, 2))
})

test('times are in milliseconds, in seconds or ISO 8601, in UTC without an offset', () => {
  const forms = [
    minutes.map((ms) => ms / 1000),
    minutes.map((ms) => new Date(ms).toISOString()),
    minutes.map((ms) => new Date(ms).toISOString().replace('T', ' ').replace('.000Z', '')),
    minutes.map((ms) => new Date(ms + 7_200_000).toISOString().replace('Z', '+02:00')),
  ]
  for (const form of forms) {
    assert.deepEqual([...parse(header, ...form.map(row)).times], minutes, String(form[0]))
  }
  const days = ['2024-02-28', '2024-02-29', '2024-03-01']
  const { times, periodMs } = parse(header, ...days.map(row))
  assert.equal(times[1], Date.UTC(2024, 1, 29))
  assert.equal(periodMs, 86_400_000)
})

test('the duration of a candle is the most common distance, whatever candles are missing', () => {
  const at = (...hours: number[]) =>
    parse(header, ...hours.map((hour) => row(minutes[0]! + hour * 3_600_000))).periodMs / 3_600_000
  assert.equal(at(0, 1, 2, 50, 51, 100), 1)
  assert.equal(at(0, 0.5, 1.5, 2.5, 3.5), 1)
  assert.equal(at(0, 4, 5), 1)
  // A single candle has the default duration.
  assert.equal(at(0), 1 / 60)
})

test('the decimals are those of the price with the most, whatever its notation', () => {
  const decimals = (price: string) =>
    parse(header, `${minutes[0]},${price},${price},${price},${price}`).decimals
  const cases: Record<string, number> = {
    '60000': 0,
    '0.00162008': 8,
    '1.5e-7': 8,
    '1.25e1': 1,
    '2e3': 0,
    '1.': 0,
  }
  for (const [price, expected] of Object.entries(cases)) assert.equal(decimals(price), expected, price)
})

test('an invalid file is refused, naming the file, the line and the value', () => {
  const good = row(minutes[0]!)
  const cases: [lines: string[], message: RegExp][] = [
    [[''], /^my\.csv is empty\.$/],
    [['\uFEFF'], /^my\.csv is empty\.$/],
    [[header], /^my\.csv has a header, but no candles\.$/],
    [[header, '', ' '], /has a header, but no candles/],
    [
      [good],
      /^my\.csv, line 1: the header must be "time,open,high,low,close", with or without ",volume", got "1700/,
    ],
    [['', header, good], /line 1: .* got ""/],
    [['time;open;high;low;close', good], /line 1: /],
    [['time,close,high,low,open', good], /line 1: /],
    [[`${header},volume,trades`, `${good},1,2`], /line 1: /],
    [[header, good, '1700000100000,1,2,0.5'], /^my\.csv, line 3: expected 5 values, got 4\.$/],
    [[header, `${good},7`], /line 2: expected 5 values, got 6/],
    [[`${header},volume`, good], /line 2: expected 6 values, got 5/],
    [[header, good, '', '1700000100000,1,x,0.5,1'], /^my\.csv, line 4: high must be a number, got "x"\.$/],
    [[`${header},volume`, `${good},much`], /line 2: volume must be a number, got "much"/],
    [[header, '1700000040000,1,2,,1'], /line 2: low must be a number, got ""/],
    [[header, '1700000040000,NaN,2,1,1'], /open must be a number, got "NaN"/],
    [[header, '1700000040000,1,Infinity,1,1'], /high must be a number/],
    [[header, '1700000040000,1,1e999,1,1'], /high must be a number/],
    [[header, '1700000040000,0x10,20,1,1'], /open must be a number/],
    [[header, '1700000040000,"1",2,0.5,1'], /open must be a number/],
    [[header, '1700000040000,1,2,0,1'], /line 2: low must be above zero, got "0"/],
    [[header, '1700000040000,1,2,-1,1'], /low must be above zero/],
    [[header, '1700000040000,1,1,2,1'], /line 2: high must not be below low, got 1 and 2/],
    [[header, '1700000040000,3,2,1,1'], /line 2: open and close must lie between low and high, got 3 and 1/],
    [[header, '1700000040000,1,2,1,0.5'], /open and close must lie/],
    [[header, good, good], /line 3: each time must be later than the previous one, got "1700000040000"/],
    [[header, ...minutes.toReversed().map(row)], /line 3: each time must be later/],
    [
      [header, row('yesterday')],
      /line 2: time must be in Unix milliseconds, Unix seconds or ISO 8601, got "yest/,
    ],
    [[header, row('1700000040000.5')], /time must be/],
    [[header, row('-1')], /time must be/],
    [[header, row('9999999999999999')], /time must be/],
    [[header, row('2024-13-01')], /time must be/],
    [[header, row('2024-01-01T10:00'), row(minutes[0]!)], /one format .* got milliseconds after ISO 8601/],
    [[header, row(1_700_000_000), row(minutes[1]!)], /got milliseconds after seconds/],
    [[header, `1700000040000,${'9'.repeat(500)}x,2,1,1`], /got "9{40}…"\.$/],
    [['PNG\0\u001B[31m'], /got "PNG\?\?\[31m"\.$/],
  ]
  for (const [lines, message] of cases) {
    assert.throws(() => parse(...lines), { name: 'CandleFileError', message }, lines.join('⏎').slice(0, 80))
  }
})

test('any bytes are either candles or refused', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), fc.boolean(), (bytes, withHeader) => {
      const all = Buffer.concat([Buffer.from(withHeader ? `${header}\n` : ''), bytes])
      try {
        parseCandles(all, 'my.csv')
      } catch (error) {
        assert.equal((error as Error).name, 'CandleFileError')
      }
    }),
  )
})

test('a large file is read completely', () => {
  const count = 100_000
  const lines = Array.from({ length: count }, (_, index) => row(minutes[0]! + index * 60_000))
  const { times, closes } = parse(header, ...lines)
  assert.equal(times.length, count)
  assert.equal(times.at(-1), minutes[0]! + (count - 1) * 60_000)
  assert.ok(closes.every((close) => close === 1.5))
})

test('the error for an unreadable file names it', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'tickwright-candles-'))
  const file = join(folder.path, 'a.csv')
  await assert.rejects(readCandleFile(file), {
    name: 'CandleFileError',
    message: /a\.csv cannot be read: ENOENT/,
  })
  await assert.rejects(readCandleFile(folder.path), {
    name: 'CandleFileError',
    message: /cannot be read: EISDIR/,
  })
  await writeFile(file, `${header}\n${row(minutes[0]!)}\n`)
  assert.equal((await readCandleFile(file)).times.length, 1)
})

test('the sample candles of the project can be replayed', async () => {
  const { times, periodMs } = await readCandleFile(
    join(import.meta.dirname, '../../../../../examples/candles/sample.csv'),
  )
  assert.ok(times.length > 100)
  assert.equal(periodMs, 3_600_000)
})

for (const { name, path, skip, rows, periodMs } of [altbtc, eurusd]) {
  test(`the candles of ${name} are read completely`, { skip }, async () => {
    const candles = await readCandleFile(path)
    assert.equal(candles.times.length, rows)
    assert.equal(candles.periodMs, periodMs)
  })
}
