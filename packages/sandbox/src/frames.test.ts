import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { encodeFrames, FrameReader } from './frames.ts'

test('texts arrive unchanged, however the bytes are split', () => {
  const texts = fc.array(fc.string({ unit: 'binary', maxLength: 200 }), { maxLength: 10 })
  fc.assert(
    fc.property(texts, fc.array(fc.nat(50)), (sent, cuts) => {
      const whole = sent.map((text) => text.toWellFormed())
      const bytes = encodeFrames(whole)
      const reader = new FrameReader(10_000)
      const got: string[] = []
      let offset = 0
      for (const cut of [...cuts, bytes.length]) {
        got.push(...reader.read(bytes.subarray(offset, offset + cut)))
        offset = Math.min(offset + cut, bytes.length)
      }
      assert.deepEqual(got, whole)
    }),
  )
})

test('a frame over the limit is refused by its length, before its content arrives', () => {
  const reader = new FrameReader(100)
  assert.deepEqual(reader.read(encodeFrames(['x'.repeat(100)])), ['x'.repeat(100)])
  assert.throws(() => reader.read(Buffer.from([0, 0, 0, 101])), RangeError)
})
