import type { IncomingHttpHeaders } from 'node:http'
import type { Client, Dispatcher } from 'undici'
import { abortable } from './abortable.ts'
import { codeOf, HttpFailure } from './http-failure.ts'
import type { OutgoingRequest } from './outgoing-request.ts'

/** An answer without its body. */
export type AnswerHead = { status: number; headers: IncomingHttpHeaders }

/** The body is received up to these limits, although nothing reads it: some servers take an early close for a failure. */
const mostBytes = 64 * 1024
const mostParts = 1_024
const bodyMs = 2_000

/**
 * Sends one request and returns the answer without its body, after the body has ended or reached a limit. The caller
 * must then close the connection.
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

  /** undici has two kinds of handlers. This method shows which kind this one is. */
  onRequestStart(): void {}

  /** Called again after an informational answer (1xx). */
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
