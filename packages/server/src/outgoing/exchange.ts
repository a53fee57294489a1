import type { IncomingHttpHeaders } from 'node:http'
import { type Client, type Dispatcher, errors } from 'undici'
import { abortable } from './abortable.ts'
import { codeOf, HttpFailure } from './http-failure.ts'
import type { OutgoingRequest } from './outgoing-request.ts'

/** A complete answer; `body` as it was sent, still compressed. */
export type RawResponse = { status: number; headers: IncomingHttpHeaders; body: Buffer }

/** What is being received at the moment, by all requests together. */
export type Intake = { bytes: number }

/**
 * Once there is more than this on its way, in bytes, answers that have grown beyond the second figure are given up: so many
 * slow and large ones cannot fill the memory, nor keep small ones out.
 */
const mostIntake = 128 * 1024 * 1024
const alwaysTaken = 64 * 1024

/**
 * Most parts that an answer may come in. Each costs about a microsecond however small it is: a million chunks of one byte
 * would hold up the whole process. So many are one for each 64 bytes of the largest answer.
 */
const mostParts = 16 * 1024

/** What undici itself finds wrong in an answer, beside its parser. */
const invalidHttp = /UND_ERR_(?:HEADERS_OVERFLOW|RES_CONTENT_LENGTH_MISMATCH)/

/** The connection ended before there was anything of an answer. */
export class ConnectionLost extends HttpFailure {}

/**
 * Sends one request and reads its answer. After a failure, or once `signal` is aborted, the connection cannot be used any
 * more and is the caller's to close.
 * @param byteLimit most bytes of a body as it was sent
 * @throws {HttpFailure} 502 when what comes is too large, no HTTP, or breaks off
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
  /** Grows as it fills up to `#byteCount`. Keeping the parts themselves would cost a hundred bytes for each. */
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

  /** Tells undici which of its two kinds of handler this is. */
  onRequestStart(): void {}

  /** Comes again after an informational answer (1xx); the last one counts. */
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
      this.#done.reject(new HttpFailure(502, 'Too much is being received at the moment.'))
    }
  }

  onResponseEnd(): void {
    const body = this.#body.subarray(0, this.#byteCount)
    this.#done.resolve({ status: this.#status, headers: this.#headers, body })
  }

  onResponseError(_control: Dispatcher.DispatchController, error: Error): void {
    this.#done.reject(this.#failureOf(error))
  }

  /** What it has received is the caller's now, or nobody's. */
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

/** Also for what is too large once it is decompressed. */
export function tooLarge(): HttpFailure {
  return new HttpFailure(502, 'The answer is over 1 MB.')
}
