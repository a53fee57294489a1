import type { IncomingHttpHeaders } from 'node:http'
import type { Client, Dispatcher } from 'undici'
import { abortable } from './abortable.ts'
import { codeOf, HttpFailure } from './http-failure.ts'
import type { OutgoingRequest } from './outgoing-request.ts'

/** An answer without its body. */
export type AnswerHead = { status: number; headers: IncomingHttpHeaders }

/** What of a body is received, and how long, although nobody reads it: a server that is cut off may take that for a failure. */
const mostBytes = 64 * 1024
const mostParts = 1_024
const bodyMs = 2_000

/**
 * Sends one request, and answers what came before the body, once that has ended or was enough. The connection is then
 * the caller's to close.
 * @throws {HttpFailure} 502 when there is no such answer
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
    // It was answered in time, whatever has become of the body.
    if (reader.received !== undefined) return reader.received
    throw error
  }
}

class HeadReader implements Dispatcher.DispatchHandler {
  #done = Promise.withResolvers<AnswerHead>()
  received: AnswerHead | undefined
  #timer: NodeJS.Timeout | undefined
  #byteCount = 0
  #partCount = 0

  get head(): Promise<AnswerHead> {
    return this.#done.promise
  }

  /** Tells undici which of its two kinds of handler this is. */
  onRequestStart(): void {}

  /** Comes again after an informational answer (1xx). */
  onResponseStart(
    _control: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (status < 200) return
    this.received = { status, headers }
    this.#timer = setTimeout(() => this.#end(), bodyMs)
  }

  onResponseData(_control: Dispatcher.DispatchController, part: Buffer): void {
    this.#byteCount += part.length
    this.#partCount += 1
    if (this.#byteCount > mostBytes || this.#partCount > mostParts) this.#end()
  }

  onResponseEnd(): void {
    this.#end()
  }

  onResponseError(_control: Dispatcher.DispatchController, error: Error): void {
    if (this.received !== undefined) this.#end()
    else {
      const message = `The connection ended without an answer that is HTTP${codeOf(error)}.`
      this.#done.reject(new HttpFailure(502, message, error))
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    // Whoever gave it up has been told why.
    this.#done.promise.catch(() => undefined)
  }

  #end(): void {
    this.#done.resolve(this.received!)
  }
}
