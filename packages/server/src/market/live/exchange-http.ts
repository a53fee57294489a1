import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { Agent, request as send } from 'undici'
import type { CcxtRequest, CcxtResponse } from './ccxt-types.ts'

/** The largest list of markets has about 15 MB. */
const responseByteLimit = 64 * 1024 * 1024
const decoders = { br: promisify(brotliDecompress), gzip: promisify(gunzip), deflate: promisify(inflate) }

export type ExchangeHttp = {
  fetch(url: string, request: CcxtRequest): Promise<CcxtResponse>
  /** Ends all connections and the requests in progress. */
  close(): Promise<void>
}

/**
 * HTTP with separate connections for one exchange. Unlike ccxt's own, it reads the whole response before it returns, so
 * that the time limit also covers a body that never ends, and nothing continues once it is closed.
 */
export function openHttp(): ExchangeHttp {
  const agent = new Agent({ allowH2: false })
  return {
    async fetch(url, { method, headers, body, signal }) {
      const answer = await send(url, {
        method,
        headers: { 'accept-encoding': 'gzip, deflate, br', ...headers },
        body: body ?? null,
        signal,
        dispatcher: agent,
      })
      const bytes = await decode(await readAll(answer.body), answer.headers['content-encoding'])
      // No exchange's API redirects. A redirect could send signed requests to someone else.
      if (answer.statusCode >= 300 && answer.statusCode < 400)
        throw new TypeError('the exchange answered with a redirect')
      return {
        status: answer.statusCode,
        statusText: answer.statusText,
        headers: singleHeaders(answer.headers),
        text: async () => bytes.toString('utf8'),
        arrayBuffer: async () => new Uint8Array(bytes).buffer,
      }
    },
    close: () => agent.destroy(),
  }
}

async function readAll(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  for await (const chunk of body) {
    sizeBytes += chunk.byteLength
    // ccxt treats a TypeError as a network failure.
    if (sizeBytes > responseByteLimit) throw new TypeError('the response is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

async function decode(bytes: Buffer, encoding: string | string[] | undefined): Promise<Buffer> {
  if (bytes.length === 0 || typeof encoding !== 'string' || !(encoding in decoders)) return bytes
  try {
    return await decoders[encoding as keyof typeof decoders](bytes, { maxOutputLength: responseByteLimit })
  } catch (error) {
    throw new TypeError('the response cannot be decompressed', { cause: error })
  }
}

function singleHeaders(headers: Record<string, string | string[] | undefined>): Headers {
  const single = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) single.set(name, Array.isArray(value) ? value.join(', ') : value)
  }
  return single
}
