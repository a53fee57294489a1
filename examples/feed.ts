import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '@tickwright/client'
import { type HttpAnswer, HttpConnection, httpRequest } from './http-connection.ts'

/** A payload for a data webhook. `key` is its idempotency key, so that a repeat counts once. */
export type Payload = { key: string; body: string }

export type FeedOptions = {
  /** The webhook's address. */
  url: string
  /**
   * How many requests may be in flight at once. With more than one, a refusal can change the order, so use 1 if there
   * is a rate limit.
   */
  underWay: number
}

const giveUpAfterMs = 30_000
const shortestPauseMs = 50
const longestPauseMs = 5_000

/** Posts payloads to a data webhook: each of them once, in order. */
export class Feed implements Disposable {
  #url: URL
  #underWay: number
  #connection: HttpConnection | undefined

  constructor({ url, underWay }: FeedOptions) {
    this.#url = new URL(url)
    this.#underWay = underWay
  }

  /**
   * Resolves when all are accepted. If the webhook asks for a retry (429, 503), or the connection is lost, this method
   * waits, and continues with the first payload that was not accepted.
   * @throws {ApiError} if the webhook refuses a payload for another reason
   * @throws {Error} if it accepted nothing for half a minute
   */
  async post(payloads: readonly Payload[]): Promise<void> {
    let next = 0
    let failures = 0
    let acceptedAt = performance.now()
    while (next < payloads.length) {
      const { accepted, trouble } = await this.#postSome(payloads.slice(next, next + this.#underWay))
      next += accepted
      if (accepted > 0) {
        acceptedAt = performance.now()
        failures = 0
      }
      if (trouble === undefined) continue
      if (performance.now() - acceptedAt > giveUpAfterMs) throw trouble.error
      await sleep(trouble.retryAfterMs ?? Math.min(longestPauseMs, shortestPauseMs * 2 ** failures))
      failures++
    }
  }

  [Symbol.dispose](): void {
    this.#connection?.close()
  }

  /** How many were accepted, counted from the first, and why the next one was not. */
  async #postSome(payloads: readonly Payload[]): Promise<{ accepted: number; trouble?: Trouble }> {
    let accepted = 0
    try {
      if (!this.#connection?.isOpen) this.#connection = await HttpConnection.connect(this.#url.origin)
      const connection = this.#connection
      const answers = payloads.map(({ key, body }) => connection.send(this.#request(key, body)))
      // If the connection is lost, all answers reject. The code below handles only the first.
      for (const answer of answers) answer.catch(() => {})
      for (const answer of answers) {
        const trouble = troubleIn(await answer)
        if (trouble !== undefined) {
          await Promise.allSettled(answers)
          return { accepted, trouble }
        }
        accepted++
      }
      return { accepted }
    } catch (error) {
      if (error instanceof ApiError) throw error
      return { accepted, trouble: { error: error as Error, retryAfterMs: undefined } }
    }
  }

  #request(key: string, body: string): Buffer {
    const headers = { 'content-type': 'application/json', 'idempotency-key': key }
    return httpRequest('POST', this.#url, headers, body)
  }
}

type Trouble = { error: Error; retryAfterMs: number | undefined }

/** `undefined` for an accepted payload. 200 means that the webhook had accepted it before. */
function troubleIn(answer: HttpAnswer): Trouble | undefined {
  if (answer.status === 202 || answer.status === 200) return undefined
  const error = refusalIn(answer)
  if (answer.status !== 429 && answer.status !== 503) throw error
  const seconds = /\r\nretry-after: *(\d+)/i.exec(answer.head)?.[1]
  return { error, retryAfterMs: seconds === undefined ? undefined : Number(seconds) * 1000 }
}

/** A proxy in between may answer in its own way: then only the status is known. */
function refusalIn({ status, body }: HttpAnswer): ApiError {
  let answer: { code?: string; error?: string } = {}
  try {
    answer = JSON.parse(body.toString('utf8'))
  } catch {
    // Not JSON.
  }
  const reason = answer.error ?? `HTTP status ${status}.`
  return new ApiError({
    status,
    code: answer.code ?? 'unknown',
    message: `The webhook refused a payload: ${reason}`,
  })
}
