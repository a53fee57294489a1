import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../base/errors.ts'
import { readCsv } from './csv-rows.ts'
import { CheckedRows } from './row-checks.ts'

const nowMs = Date.parse('2026-01-02T00:30:00Z')
const header = 'time,open,high,low,close,volume'

async function read(csv: string, { kind = 'candles' as 'candles' | 'funding', firstLine = 2 } = {}) {
  const rows = new CheckedRows({ kind, interval: kind === 'candles' ? '1h' : '', nowMs })
  await readCsv(csv, kind, rows, firstLine)
  return rows
}

async function problemsIn(csv: string): Promise<string[]> {
  return (await read(csv)).problems.map(({ line, message }) => `${line}: ${message}`)
}

test('rows keep their values exactly, and need no volume', async () => {
  const { rows, problems } = await read(
    '\uFEFFTime, Open, High, Low, Close\r\n1767225600,1.10,1.2,1e0,1.15\r\n\r\n1767229200,8.120,9,8,8.5\r\n',
  )
  assert.deepEqual(problems, [])
  assert.deepEqual(rows, {
    times: [1_767_225_600_000, 1_767_229_200_000],
    figures: [
      ['1.1', '8.12'],
      ['1.2', '9'],
      ['1', '8'],
      ['1.15', '8.5'],
      ['0', '0'],
    ],
  })
})

test('every wrong line is named, with what is wrong in it', async () => {
  const at = (hour: number) => `2026-01-01T${String(hour).padStart(2, '0')}:00:00Z`
  const lines = [
    `${at(0)},1,2,1,2,5`,
    `${at(0)},1,2,1,2,5`,
    `${at(0)},1,2,1,2,6`,
    '2025-12-31T00:00:00Z,1,2,1,2,5',
    '2026-01-01T00:30:00Z,1,2,1,2,5',
    `${at(2)},1,2,3,2,5`,
    `${at(2)},1,2,1,2.5,5`,
    `${at(2)},0.5,2,1,2,5`,
    `${at(2)},1,2,1,2`,
    `${at(2)},1,2,1,x,5`,
    `${at(2)},0,2,0,2,5`,
    `${at(2)},1,2,1,2,-5`,
    `${at(2)},1,1e45,1,2,5`,
    `${at(2)},1,2,1,2,${'9'.repeat(100)}`,
    '2026-01-02T01:00:00Z,1,2,1,2,5',
    'soon,1,2,1,2,5',
    '1767225600000,1,2,1,2,5',
    `${at(3)},1,2,1,2,5${'0'.repeat(2_000)}`,
    `${at(3)},1,2,1,2,5`,
  ]
  const found = await problemsIn(`${header}\n${lines.join('\n')}`)
  const expected = [
    /^3: time is the same as that of line 2 .*, with the same values\./,
    /^4: time is the same as that of line 2 .*, with other values\./,
    /^5: time must be later than that of line 2 /,
    /^6: time must not be within the candle of line 2, which lasts 1h /,
    /^7: high must not be below low, got 2 and 3\.$/,
    /^8: close must lie between low and high, got 2\.5, 1 and 2\.$/,
    /^9: open must lie between low and high/,
    /^10: expected 6 values, got 5\.$/,
    /^11: close must be a decimal number with at most 40 digits .*got "x"\.$/,
    /^12: open must be above zero, got "0"\.$/,
    /^13: volume must not be negative, got "-5"\.$/,
    /^14: high must be a decimal number with at most 40 digits/,
    /^15: volume must be a decimal number with at most 40 digits/,
    /^16: time must not be in the future, got 2026-01-02T01:00:00\.000Z\.$/,
    /^17: time must be in Unix milliseconds, Unix seconds or ISO 8601, got "soon"\.$/,
    /^18: time must have one format in the whole file, got milliseconds after ISO 8601\.$/,
    /^19: a line must have at most 1000 characters, got 2\d\d\d\.$/,
  ]
  assert.equal(found.length, expected.length, found.join('\n'))
  for (const [index, pattern] of expected.entries()) assert.match(found[index]!, pattern)
})

test('a file of something else is refused by its first lines', async () => {
  assert.match((await problemsIn('date;price\n1;2'))[0]!, /^1: the header must be "time,open/)
  assert.match((await problemsIn(''))[0]!, /^1: the header must be/)
  assert.match((await problemsIn('x'.repeat(5_000_000)))[0]!, /^1: the header must be .{0,200}$/)
  assert.equal((await problemsIn(`${header}\n${'no candle\n'.repeat(100_000)}`)).length, 50)
})

test('a candle that has not ended is left out, and lines count on from another text', async () => {
  const rows = await read(`${header}\n2026-01-01T23:00:00Z,1,2,1,2,5\n2026-01-02T00:00:00Z,1,2,1,2,5`)
  rows.demandValid('body.csv')
  assert.deepEqual([rows.rows.times.length, rows.dropped], [1, 1])
  const later = await read(`${header}\nx,1,2,1,2,5`, { firstLine: 5_002 })
  assert.equal(later.problems[0]!.line, 5_002)
  assert.throws(
    () => later.demandValid('body.csv'),
    (error) => error instanceof AppError && error.details?.[0]?.line === 5_002 && error.status === 400,
  )
})

test('funding rates may be negative, at any moments', async () => {
  const { rows, problems } = await read('time,rate\n1767225600000,-0.0001\n1767225600001,0.00010', {
    kind: 'funding',
  })
  assert.deepEqual([problems, rows.figures], [[], [['-0.0001', '0.0001']]])
})
