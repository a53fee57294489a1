import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Cell, csvLine } from './csv.ts'

const written: [Cell, string][] = [
  ['BTC/USDT:USDT', 'BTC/USDT:USDT'],
  [null, ''],
  [7, '7'],
  [-7, '-7'],
  [true, 'true'],
  ['-0.000001', '-0.000001'],
  ['a,b', '"a,b"'],
  ['say "no"', '"say ""no"""'],
  ['two\r\nlines', '"two\r\nlines"'],
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1+1', "'-1+1"],
  ['-', "'-"],
  ['--1', "'--1"],
  ['-1e5', "'-1e5"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ['\r=1', '"\'\r=1"'],
  ['\n=1', '"\'\n=1"'],
  ['  =1', "'  =1"],
  ['\u200b=1', "'\u200b=1"],
  ['＝1', "'＝1"],
  ['=HYPERLINK("http://x","y")', '"\'=HYPERLINK(""http://x"",""y"")"'],
  ['a=1', 'a=1'],
]

test('a cell is quoted where CSV needs it, and no text of it runs as a formula', () => {
  for (const [cell, text] of written) assert.equal(csvLine([cell]), `${text}\r\n`, JSON.stringify(cell))
  assert.equal(csvLine(['a', null, 'b']), 'a,,b\r\n')
})
