import assert from 'node:assert/strict'
import { isUtf8 } from 'node:buffer'
import { encodeFrames, FrameReader } from '../../packages/sandbox/src/frames.ts'
import { bytesTarget } from '../target.ts'

const byteLimit = 300

/** A stream of frames is cut the same way in any chunks, and ends at the first frame that is too long. */
export default bytesTarget({
  seeds: [
    encodeFrames(['{"type":"ready"}', '', 'é']),
    Buffer.from([0, 0, 1, 45]),
    Buffer.from([255, 255, 255, 255]),
  ],
  words: ['\0\0\0\0', '\0\0\0\x01', '\0\0\0\x02[]'],
  check: (stream) => {
    const expected = cut(stream)
    const texts = expected.frames.map(String)
    for (const size of [stream.length, 1, 3, 7]) {
      const { frames, isBroken } = read(stream, size)
      assert.equal(isBroken, expected.isBroken)
      // Frames in the same chunk as a frame that is too long are lost with it.
      assert.deepEqual(frames, isBroken ? texts.slice(0, frames.length) : texts)
    }
    if (!expected.frames.every(isUtf8)) return
    // Written again, the frames give the same bytes.
    const whole = Buffer.concat(expected.frames.map((frame) => Buffer.concat([lengthOf(frame), frame])))
    assert.deepEqual(encodeFrames(texts), whole)
  },
})

type Cut = { frames: Buffer[]; isBroken: boolean }

function read(stream: Buffer, chunkBytes: number): { frames: string[]; isBroken: boolean } {
  const reader = new FrameReader(byteLimit)
  const texts: string[] = []
  try {
    for (let at = 0; at < stream.length; at += chunkBytes) {
      texts.push(...reader.read(stream.subarray(at, at + chunkBytes)))
    }
    return { frames: texts, isBroken: false }
  } catch (error) {
    assert.ok(error instanceof RangeError && /over the limit/.test(error.message), String(error))
    return { frames: texts, isBroken: true }
  }
}

/** Reads the format directly, without chunks. */
function cut(stream: Buffer): Cut {
  const frames: Buffer[] = []
  for (let at = 0; ; ) {
    if (stream.length - at < 4) return { frames, isBroken: false }
    const length = stream.readUInt32BE(at)
    if (length > byteLimit) return { frames, isBroken: true }
    if (stream.length - at - 4 < length) return { frames, isBroken: false }
    frames.push(stream.subarray(at + 4, at + 4 + length))
    at += 4 + length
  }
}

function lengthOf(frame: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(frame.length)
  return length
}
