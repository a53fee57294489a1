import assert from 'node:assert/strict'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { HttpFailure } from '../../packages/server/src/outgoing/http-failure.ts'
import { readText, textByteLimit } from '../../packages/server/src/outgoing/response-text.ts'
import { bytesTarget } from '../target.ts'

const codings = ['gzip', 'br', 'deflate', 'zstd', 'gzip, br', 'identity', '', 'gzip,gzip,gzip', '__proto__']
const types = [
  'text/html',
  'text/plain; charset=utf-16le',
  'a; charset="latin1"',
  ';charset=nothing',
  'application/json;charset=shift_jis',
]
const [plain, huge] = [Buffer.from('{"price": 1}'), Buffer.alloc(3_000_000)]
const header = (coding: number, type = 0) => Buffer.from([coding, type])

/** An answer in any encoding and character set is a text within the limit, or a failure that the strategy sees. */
export default bytesTarget({
  seeds: [
    ...([
      [gzipSync, 0],
      [brotliCompressSync, 1],
      [deflateSync, 2],
      [deflateRawSync, 2],
      [zstdCompressSync, 3],
    ] as const),
  ].flatMap(([compress, coding]) =>
    [plain, huge].map((body) => Buffer.concat([header(coding), compress(body)])),
  ),
  words: ['\x1f\x8b\x08', '\x78\x9c', '\x28\xb5\x2f\xfd', '\ufeff', '\xff\xfe'],
  byteLimit: 4_096,
  check: async (input) => {
    const [coding = 0, type = 0] = input
    const headers = {
      'content-encoding': codings[coding % codings.length],
      'content-type': types[type % types.length],
    }
    try {
      const text = await readText({ headers, body: input.subarray(2) } as never)
      assert.ok(text.length <= textByteLimit && text.isWellFormed())
    } catch (error) {
      assert.ok(error instanceof HttpFailure, String(error))
    }
  },
})
