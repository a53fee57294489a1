import { promisify } from 'node:util'
import { brotliDecompress, constants, gunzip, inflate, inflateRaw, zstdDecompress } from 'node:zlib'
import { type RawResponse, tooLarge } from './exchange.ts'
import { codeOf, HttpFailure } from './http-failure.ts'

/** Most bytes of a body, once it is decompressed. */
export const textByteLimit = 1024 * 1024

/** Most bytes of a body as it was sent: what cannot be compressed grows a little when it is. */
export const rawByteLimit = textByteLimit + 64 * 1024

/** Servers apply one. Each more multiplies what few bytes can ask for. */
const mostCodings = 2

type Decompress = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>

/** zlib works off the event loop, and stops at the limit: what is beyond is never made. */
const gzip: Decompress = promisify(gunzip)
const zlib: Decompress = promisify(inflate)
const rawDeflate: Decompress = promisify(inflateRaw)
const zstd = promisify(zstdDecompress)

const decompressors: Record<string, Decompress> = {
  gzip,
  'x-gzip': gzip,
  br: promisify(brotliDecompress),
  // Some servers leave out the header of zlib, which is the format that is meant.
  deflate: (bytes, options) => (bytes[0]! % 16 === 8 ? zlib : rawDeflate)(bytes, options),
  // The window that RFC 9659 asks for. A frame may claim one of 128 MB, and zstd would allocate it.
  zstd: (bytes, options) => zstd(bytes, { ...options, params: { [constants.ZSTD_d_windowLogMax]: 23 } }),
}

const utf8 = new TextDecoder()

/**
 * The body of an answer as text: decompressed, and read in the encoding that its header names, by default UTF-8. Bytes
 * that are no text become U+FFFD.
 * @throws {HttpFailure} 502 when it is over 1 MB, or cannot be decompressed
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
