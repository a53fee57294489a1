import type { HttpResponse } from '@tickwright/sandbox'
import { LRUCache } from 'lru-cache'
import { abortable } from './abortable.ts'

/** The result of a request. `answered`: the remote server has answered, with any status. */
export type HttpResult = { status: number; text: string; answered: boolean }

/** A request in progress, and how many callers wait for it. */
type PendingRequest = { result: Promise<HttpResult>; ends: AbortController; waiting: number }

/** How long an answer is reused after its arrival, in ms. */
export const httpCacheMs = 5_000

/** Maximum size of all cached answers of all strategies, in bytes. */
const byteLimit = 64 * 1024 * 1024

/**
 * The answers of the last seconds and the requests in progress, by strategy and request. A repeated request gets the
 * cached answer, or waits for the request in progress, and is not sent again. The cache is in the memory of this
 * process, which is enough, since a strategy runs on one node at a time.
 */
export class HttpCache {
  #answers: LRUCache<string, HttpResult>
  #pending = new Map<string, PendingRequest>()

  /** @param nowMs a monotonic clock */
  constructor(nowMs: () => number = () => performance.now()) {
    this.#answers = new LRUCache<string, HttpResult>({
      maxSize: byteLimit,
      // Two bytes for each character, and the overhead of an entry.
      sizeCalculation: ({ text }) => 2 * text.length + 500,
      ttl: httpCacheMs,
      ttlResolution: 0,
      perf: { now: nowMs },
    })
  }

  /**
   * The answer to a request: from the cache, or from `send`. `send` is aborted when no caller waits for it any more.
   * @param fingerprint equal for identical requests
   * @throws the reason of `signal` if it aborts, or the error of `send`
   */
  async answer(
    strategyId: number,
    fingerprint: string,
    signal: AbortSignal,
    send: (signal: AbortSignal) => Promise<HttpResult>,
  ): Promise<HttpResponse> {
    signal.throwIfAborted()
    const key = `${strategyId} ${fingerprint}`
    const known = this.#answers.get(key)
    if (known !== undefined) return { status: known.status, text: known.text, cache: true }
    const earlier = this.#pending.get(key)
    const pending = earlier ?? this.#start(key, send)
    const { status, text, answered } = await this.#wait(key, pending, signal)
    return { status, text, cache: earlier !== undefined && answered }
  }

  #start(key: string, send: (signal: AbortSignal) => Promise<HttpResult>): PendingRequest {
    const ends = new AbortController()
    const result = send(ends.signal)
    const pending = { result, ends, waiting: 0 }
    this.#pending.set(key, pending)
    const remove = () => {
      if (this.#pending.get(key) === pending) this.#pending.delete(key)
    }
    result.then((answer) => {
      if (answer.answered && !ends.signal.aborted) this.#answers.set(key, answer)
      remove()
    }, remove)
    return pending
  }

  /** Waits with the other callers. The last one that gives up aborts the request. */
  async #wait(key: string, pending: PendingRequest, signal: AbortSignal): Promise<HttpResult> {
    pending.waiting++
    try {
      return await abortable(pending.result, signal)
    } finally {
      pending.waiting--
      if (pending.waiting === 0 && signal.aborted) {
        // The next caller must start a new request.
        if (this.#pending.get(key) === pending) this.#pending.delete(key)
        pending.ends.abort(signal.reason)
      }
    }
  }
}
