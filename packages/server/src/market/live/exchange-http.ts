import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { Agent, request as send } from 'undici'
import type { CcxtRequest, CcxtResponse } from './ccxt-types.ts'

/** The largest list of markets is some 15 MB. */
const answerByteLimit = 64 * 1024 * 1024
const decoders = { br: promisify(brotliDecompress), gzip: promisify(gunzip), deflate: promisify(inflate) }

export type ExchangeHttp = {
  fetch(url: string, request: CcxtRequest): Promise<CcxtResponse>
  /** Ends all connections, and with them what is under way. */
  close(): Promise<void>
}

/**
 * HTTP for one exchange, with connections of its own. Other than ccxt's own, it has the whole answer before it
 * returns, so that the request's time limit covers a body that never ends, and it is over once closed.
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
      // No exchange's API redirects; whoever does would get requests that may be signed.
      if (answer.statusCode >= 300 && answer.statusCode < 400)
        throw new TypeError('it answered with a redirect')
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
    // ccxt takes a TypeError for a failure of the network.
    if (sizeBytes > answerByteLimit) throw new TypeError('the answer is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

async function decode(bytes: Buffer, encoding: string | string[] | undefined): Promise<Buffer> {
  if (bytes.length === 0 || typeof encoding !== 'string' || !(encoding in decoders)) return bytes
  try {
    return await decoders[encoding as keyof typeof decoders](bytes, { maxOutputLength: answerByteLimit })
  } catch (error) {
    throw new TypeError('the answer cannot be decompressed', { cause: error })
  }
}

function singleHeaders(headers: Record<string, string | string[] | undefined>): Headers {
  const single = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) single.set(name, Array.isArray(value) ? value.join(', ') : value)
  }
  return single
}
