import { promisify } from 'node:util'
import { brotliDecompress, constants, gunzip, inflate, inflateRaw, zstdDecompress } from 'node:zlib'
import { type RawResponse, tooLarge } from './exchange.ts'
import { codeOf, HttpFailure } from './http-failure.ts'

/** Maximum size of a body after decompression, in bytes. */
export const textByteLimit = 1024 * 1024

/** Maximum size of a body as it is sent, in bytes. Compression makes data that cannot be compressed a little larger. */
export const rawByteLimit = textByteLimit + 64 * 1024

/** Servers use one compression. Each further one multiplies the work that a few bytes can cause. */
const mostCodings = 2

type Decompress = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>

/** zlib works outside the event loop, and stops at the limit. */
const gzip: Decompress = promisify(gunzip)
const zlib: Decompress = promisify(inflate)
const rawDeflate: Decompress = promisify(inflateRaw)
const zstd = promisify(zstdDecompress)

const decompressors: Record<string, Decompress> = {
  gzip,
  'x-gzip': gzip,
  br: promisify(brotliDecompress),
  // The standard asks for the zlib format, but some servers leave out its header.
  deflate: (bytes, options) => (bytes[0]! % 16 === 8 ? zlib : rawDeflate)(bytes, options),
  // The maximum window of RFC 9659. Without it, zstd would allocate 128 MB if a frame asks for it.
  zstd: (bytes, options) => zstd(bytes, { ...options, params: { [constants.ZSTD_d_windowLogMax]: 23 } }),
}

const utf8 = new TextDecoder()

/**
 * The body of an answer as text: decompressed, and decoded by the charset of its header, by default UTF-8. Invalid bytes
 * become U+FFFD.
 * @throws {HttpFailure} 502 if it is over 1 MB, or cannot be decompressed
 */
export async function readText({ headers, body }: RawResponse): Promise<string> {
  const bytes = await decompress(body, headers['content-encoding'])
  if (bytes.length > textByteLimit) throw tooLarge()
  return decoderOf(headers['content-type']).decode(bytes)
}

async function decompress(body: Buffer, header: string | undefined): Promise<Buffer> {
  const codings = (header ?? '')
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
  const applied = codings.filter((coding) => coding !== '' && coding !== 'identity').reverse()
  if (applied.length === 0 || body.length === 0) return body
  if (applied.length > mostCodings || !applied.every((coding) => Object.hasOwn(decompressors, coding))) {
    throw new HttpFailure(502, 'The answer is compressed in a way that is not supported.')
  }
  let bytes = body
  for (const coding of applied) {
    try {
      bytes = await decompressors[coding]!(bytes, { maxOutputLength: rawByteLimit })
    } catch (error) {
      const code = codeOf(error)
      if (code.includes('ERR_BUFFER_TOO_LARGE')) throw tooLarge()
      throw new HttpFailure(502, `The answer could not be decompressed${code}.`, error)
    }
  }
  return bytes
}

function decoderOf(contentType: string | undefined): TextDecoder {
  const charset = /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(contentType ?? '')?.[1]
  if (charset === undefined || /^utf-?8$/i.test(charset)) return utf8
  try {
    return new TextDecoder(charset)
  } catch {
    return utf8
  }
}
