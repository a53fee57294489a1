import assert from 'node:assert/strict'
import { test } from 'node:test'
import { zstdDecompressSync } from 'node:zlib'
import { parquetCandles, parquetFunding, parquetOverlaps } from '../../../../test/parquet-files.ts'
import { ParquetProblem, parquetToCsv } from './decode.ts'
import { readParquet } from './parquet.ts'
import { textOf } from './values.ts'

const limits = { mostRows: 100, mostBytes: 10_000 }
const names = ['time', 'open', 'high', 'low', 'close', 'volume']
const bytesOf = (file: string) => new Uint8Array(Buffer.from(file, 'base64'))

test('every number of a Parquet file comes out as the decimal that it was', async () => {
  const csv = await readParquet(bytesOf(parquetCandles), names)
  assert.deepEqual(csv.split('\n'), [
    'time,open,high,low,close,volume',
    '1767225600000,0.1234567890123456789012345,1.20,0.0500,0.15,0.1',
    '1767229200000,1.1500000000000000000000000,1.25,1.1000,1.20,3.3',
    '1767232800000,1.2000000000000000000000000,1.30,1.1500,1.25,0.0000001',
  ])
  assert.deepEqual((await parquetToCsv(bytesOf(parquetFunding), ['time', 'rate'], limits)).split('\n'), [
    'time,rate',
    '1767225600000,0.0001000000',
    '1767229200000,-0.0002500000',
    '1767232800000,0.0000000000',
  ])
})

test('a value that is no exact number never passes for one', () => {
  const double = { type: 'DOUBLE', scale: null }
  const texts = [null, Number.NaN, 8.1e-7, 'a\n1,2', 12n, new Uint8Array(3), 'x'.repeat(1_000)]
  assert.deepEqual(
    texts.map((value) => textOf(value, double).slice(0, 12)),
    ['', 'NaN', '0.00000081', 'a?1?2', '12', 'a DOUBLE', 'xxxxxxxxxxxx'],
  )
  const decimal = { type: 'INT32', scale: 2 }
  assert.deepEqual(
    [-5, 0, 12_345].map((value) => textOf(value, decimal)),
    ['-0.05', '0.00', '123.45'],
  )
  assert.equal(textOf(Uint8Array.of(0xff, 0x38), { type: 'FIXED_LEN_BYTE_ARRAY', scale: 1 }), '-20.0')
  assert.equal(textOf(Math.fround(16_777.217), { type: 'FLOAT', scale: null }), '16777.217')
})

test('a file that is too large or damaged is refused before it takes memory', async () => {
  const file = bytesOf(parquetCandles)
  const read = (bytes: Uint8Array<ArrayBuffer>, given = limits) => parquetToCsv(bytes, names, given)
  await assert.rejects(
    read(file, { ...limits, mostRows: 2 }),
    /^ParquetProblem: it must have at most 2 rows, got 3/,
  )
  await assert.rejects(read(file, { ...limits, mostBytes: 100 }), /its columns must have at most/)
  await assert.rejects(read(Uint8Array.from(Buffer.from('time,open\n1,2\n'))), ParquetProblem)
  for (let end = file.length - 1; end > 0; end -= 97)
    await assert.rejects(read(file.slice(0, end)), ParquetProblem)
  // Whatever is changed in the headers of its pages, nothing but such a problem or a text comes of it.
  const lengths = [4, 5, 6, 7].map((at) => file.with(at, 0xff))
  for (const changed of lengths)
    await read(changed as Uint8Array<ArrayBuffer>).catch((error) =>
      assert.ok(error instanceof ParquetProblem),
    )
})

test('a file whose columns overlap is refused before it takes the memory of each of them', async () => {
  for (const packed of parquetOverlaps) {
    const file = Uint8Array.from(zstdDecompressSync(bytesOf(packed)))
    await assert.rejects(parquetToCsv(file, names, limits), /^ParquetProblem: its columns overlap\.$/)
  }
})

test('a damaged file that would be read for ever is given up', async () => {
  // The length of a run is 0, so that the library goes on without getting further.
  const endless = bytesOf(parquetCandles).with(66, 0)
  await assert.rejects(
    readParquet(endless, names, { limits, memoryMb: 64, timeoutMs: 2_000 }),
    /^ParquetProblem: reading it takes too much memory or time\.$/,
  )
})
