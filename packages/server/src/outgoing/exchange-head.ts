import type { IncomingHttpHeaders } from 'node:http'
import type { Client, Dispatcher } from 'undici'
import { abortable } from './abortable.ts'
import { codeOf, HttpFailure } from './http-failure.ts'
import type { OutgoingRequest } from './outgoing-request.ts'

/** An answer with no more than the beginning of its body: `start`, decoded as UTF-8. */
export type AnswerHead = { status: number; headers: IncomingHttpHeaders; start: string }

/** How much of the body `start` has at most, in bytes. Errors of chat services are shorter. */
const startBytes = 4 * 1024

/** The body is received up to these limits, even if nothing reads it: some servers take an early close for a failure. */
const mostBytes = 64 * 1024
const mostParts = 1_024
const bodyMs = 2_000

/**
 * Sends one request and returns the head of the answer and the beginning of its body, after the body has ended or reached
 * a limit. The caller must then close the connection.
 * @throws {HttpFailure} 502 if there is no HTTP answer
 */
export async function exchangeHead(
  client: Client,
  request: OutgoingRequest,
  signal: AbortSignal,
): Promise<AnswerHead> {
  using reader = new HeadReader()
  const { method, url, body } = request
  const headers = [...request.headers].flat()
  client.dispatch({ path: url.pathname + url.search, method, headers, body, reset: true }, reader)
  try {
    return await abortable(reader.head, signal)
  } catch (error) {
    // The answer arrived in time, even if the body did not.
    const received = reader.received
    if (received !== undefined) return received
    throw error
  }
}

class HeadReader implements Dispatcher.DispatchHandler {
  #done = Promise.withResolvers<AnswerHead>()
  #answer: Omit<AnswerHead, 'start'> | undefined
  /** The parts of the beginning of the body. Its bytes are limited, and so is the number of parts. */
  #start: Buffer[] = []
  #timer: NodeJS.Timeout | undefined
  #byteCount = 0
  #partCount = 0

  get head(): Promise<AnswerHead> {
    return this.#done.promise
  }

  /** What has arrived so far; `undefined` before the head. */
  get received(): AnswerHead | undefined {
    if (this.#answer === undefined) return undefined
    return { ...this.#answer, start: Buffer.concat(this.#start).toString('utf8') }
  }

  /** undici has two kinds of handlers. This method shows which kind this one is. */
  onRequestStart(): void {}

  /** Called again after an informational answer (1xx). */
  onResponseStart(
    _control: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (status < 200) return
    this.#answer = { status, headers }
    this.#timer = setTimeout(() => this.#end(), bodyMs)
  }

  onResponseData(_control: Dispatcher.DispatchController, part: Buffer): void {
    const room = startBytes - this.#byteCount
    if (room > 0) this.#start.push(Buffer.from(part.subarray(0, room)))
    this.#byteCount += part.length
    this.#partCount += 1
    if (this.#byteCount > mostBytes || this.#partCount > mostParts) this.#end()
  }

  onResponseEnd(): void {
    this.#end()
  }

  onResponseError(_control: Dispatcher.DispatchController, error: Error): void {
    if (this.#answer !== undefined) this.#end()
    else {
      const message = `The connection ended without an HTTP answer${codeOf(error)}.`
      this.#done.reject(new HttpFailure(502, message, error))
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    // If the caller has given up, it knows why.
    this.#done.promise.catch(() => undefined)
  }

  #end(): void {
    this.#done.resolve(this.received!)
  }
}
