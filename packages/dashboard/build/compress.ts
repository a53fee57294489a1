import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Bundle } from './bundle.ts'
import type { Build, BuiltFile } from './files.ts'

const br = promisify(brotliCompress)
const gz = promisify(gzip)
/** 9 is a two-hundredth smaller and takes seven times as long, which a first start would wait for. */
const brotliQuality = 8
/** Below this many bytes a compressed form saves no packet. */
const smallest = 1000

/** Compresses the files once, so that no request has to. */
export async function compress(bundle: Bundle): Promise<Build> {
  const files = await Promise.all(
    [...bundle].map(async ([path, { type, contents }]): Promise<[string, BuiltFile]> => {
      const plain = Buffer.from(contents)
      if (plain.length < smallest || type.startsWith('image/png')) return [path, { type, plain }]
      const [gzip, brotli] = await Promise.all([
        gz(plain, { level: 9 }),
        br(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } }),
      ])
      return [path, { type, plain, gzip, br: brotli }]
    }),
  )
  return new Map(files)
}
