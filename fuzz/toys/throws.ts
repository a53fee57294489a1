import { bytesTarget } from '../target.ts'

/** A fault three bytes deep: by chance alone, one input in sixteen million would find it. */
export default bytesTarget({ seeds: ['hello'], check: read })

function read(input: Buffer): number {
  if (input[0] !== 0x61) return 0
  if (input[1] !== 0xe9) return 1
  if (input[2] !== 0x3f) return 2
  throw new TypeError('planted')
}
