import type { IncomingHttpHeaders } from 'node:http'
import { type Client, type Dispatcher, errors } from 'undici'
import { abortable } from './abortable.ts'
import { codeOf, HttpFailure } from './http-failure.ts'
import type { OutgoingRequest } from './outgoing-request.ts'

/** A complete answer. `body` is still compressed, as the server sent it. */
export type RawResponse = { status: number; headers: IncomingHttpHeaders; body: Buffer }

/** The bytes of all bodies that are being received at the moment. */
export type Intake = { bytes: number }

/**
 * If all current bodies together exceed the first figure, in bytes, answers larger than the second are given up. So
 * many slow and large answers cannot fill the memory, and small ones still get through.
 */
const mostIntake = 128 * 1024 * 1024
const alwaysTaken = 64 * 1024

/**
 * Maximum number of parts of an answer. Each part costs about a microsecond, however small it is, so a million chunks
 * of one byte would block the process. This limit is one part for each 64 bytes of the largest answer.
 */
const mostParts = 16 * 1024

/** Codes of invalid answers that undici finds outside its parser. */
const invalidHttp = /UND_ERR_(?:HEADERS_OVERFLOW|RES_CONTENT_LENGTH_MISMATCH)/

/** The connection ended before any part of an answer arrived. */
export class ConnectionLost extends HttpFailure {}

/**
 * Sends one request and reads its answer. After a failure, or if `signal` aborts, the connection cannot be used again,
 * and the caller must close it.
 * @param byteLimit maximum size of the body as it is sent, in bytes
 * @throws {HttpFailure} 502 if the answer is too large, incomplete or not HTTP
 */
export async function exchange(
  client: Client,
  request: OutgoingRequest,
  byteLimit: number,
  intake: Intake,
  signal: AbortSignal,
): Promise<RawResponse> {
  using reader = new ResponseReader(byteLimit, intake)
  const { method, url, body } = request
  const headers = [...request.headers, ['accept-encoding', 'gzip, deflate, br, zstd']].flat()
  client.dispatch({ path: url.pathname + url.search, method, headers, body }, reader)
  return await abortable(reader.response, signal)
}

class ResponseReader implements Dispatcher.DispatchHandler {
  #byteLimit: number
  #intake: Intake
  #isOver = false
  #done = Promise.withResolvers<RawResponse>()
  #status = 0
  #headers: IncomingHttpHeaders = {}
  /** A growing buffer with `#byteCount` bytes of content. A list of parts would cost a hundred bytes for each part. */
  #body = Buffer.alloc(0)
  #byteCount = 0
  #partCount = 0

  constructor(byteLimit: number, intake: Intake) {
    this.#byteLimit = byteLimit
    this.#intake = intake
  }

  get response(): Promise<RawResponse> {
    return this.#done.promise
  }

  /** undici has two kinds of handlers. This method shows which kind this one is. */
  onRequestStart(): void {}

  /** Called again after an informational answer (1xx). The last call counts. */
  onResponseStart(
    _control: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    this.#status = status
    this.#headers = headers
    this.#countPart()
    if (Number(headers['content-length']) > this.#byteLimit) this.#done.reject(tooLarge())
  }

  onResponseData(_control: Dispatcher.DispatchController, part: Buffer): void {
    if (this.#isOver) return
    this.#countPart()
    const byteCount = this.#byteCount + part.length
    if (byteCount > this.#byteLimit) {
      this.#done.reject(tooLarge())
      return
    }
    if (byteCount > this.#body.length) this.#grow(byteCount)
    part.copy(this.#body, this.#byteCount)
    this.#byteCount = byteCount
    this.#intake.bytes += part.length
    if (this.#intake.bytes > mostIntake && byteCount > alwaysTaken) {
      this.#done.reject(new HttpFailure(502, 'The service is receiving too much data at the moment.'))
    }
  }

  onResponseEnd(): void {
    const body = this.#body.subarray(0, this.#byteCount)
    this.#done.resolve({ status: this.#status, headers: this.#headers, body })
  }

  onResponseError(_control: Dispatcher.DispatchController, error: Error): void {
    this.#done.reject(this.#failureOf(error))
  }

  /** Stops counting its bytes: the caller has them now, or nobody needs them. */
  [Symbol.dispose](): void {
    this.#isOver = true
    this.#intake.bytes -= this.#byteCount
  }

  #countPart(): void {
    this.#partCount++
    if (this.#partCount > mostParts)
      this.#done.reject(new HttpFailure(502, 'The answer is in too many parts.'))
  }

  #grow(byteCount: number): void {
    const larger = Buffer.allocUnsafe(Math.min(this.#byteLimit, 2 * byteCount))
    this.#body.copy(larger, 0, 0, this.#byteCount)
    this.#body = larger
  }

  #failureOf(error: Error): HttpFailure {
    const code = codeOf(error)
    if (error instanceof errors.HTTPParserError || invalidHttp.test(code)) {
      return new HttpFailure(502, `The answer is not valid HTTP${code}.`, error)
    }
    if (this.#status === 0) {
      return new ConnectionLost(502, `The connection ended without an answer${code}.`, error)
    }
    return new HttpFailure(502, `The connection ended before the answer was complete${code}.`, error)
  }
}

/** The failure of an answer that is too large, before or after decompression. */
export function tooLarge(): HttpFailure {
  return new HttpFailure(502, 'The answer is over 1 MB.')
}
