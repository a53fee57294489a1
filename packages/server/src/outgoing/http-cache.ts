import type { HttpResponse } from '@tickwright/sandbox'
import { LRUCache } from 'lru-cache'
import { abortable } from './abortable.ts'

/** What came of a request. `answered`: by the remote, with whatever status; not by a failure of ours. */
export type HttpResult = { status: number; text: string; answered: boolean }

/** A request that is being made, and for how many. */
type Flight = { result: Promise<HttpResult>; ends: AbortController; passengers: number }

/** How long an answer is used again, from its arrival, in ms. */
export const httpCacheMs = 5_000

/** Most bytes of answers that are kept, over all strategies. */
const byteLimit = 64 * 1024 * 1024

/**
 * Answers of the last seconds, and requests under way, by strategy and request: what is asked for again is given, or waited
 * for, and is not sent. In memory, and so for this process alone; a strategy runs on one node at a time.
 */
export class HttpCache {
  #answers: LRUCache<string, HttpResult>
  #flights = new Map<string, Flight>()

  /** @param nowMs a monotonic clock */
  constructor(nowMs: () => number = () => performance.now()) {
    this.#answers = new LRUCache<string, HttpResult>({
      maxSize: byteLimit,
      // Two bytes a character, and what an entry costs beside its text.
      sizeCalculation: ({ text }) => 2 * text.length + 500,
      ttl: httpCacheMs,
      ttlResolution: 0,
      perf: { now: nowMs },
    })
  }

  /**
   * The answer to a request, made by `send` unless there is one. `send` is aborted once nobody waits any more.
   * @param fingerprint equal for requests that are alike
   * @throws the reason of `signal` once that is aborted; else what `send` rejects with
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
    const joined = this.#flights.get(key)
    const flight = joined ?? this.#start(key, send)
    const { status, text, answered } = await this.#board(key, flight, signal)
    return { status, text, cache: joined !== undefined && answered }
  }

  #start(key: string, send: (signal: AbortSignal) => Promise<HttpResult>): Flight {
    const ends = new AbortController()
    const result = send(ends.signal)
    const flight = { result, ends, passengers: 0 }
    this.#flights.set(key, flight)
    const land = () => {
      if (this.#flights.get(key) === flight) this.#flights.delete(key)
    }
    result.then((answer) => {
      if (answer.answered && !ends.signal.aborted) this.#answers.set(key, answer)
      land()
    }, land)
    return flight
  }

  /** Waits with the others; whoever leaves last ends the request. */
  async #board(key: string, flight: Flight, signal: AbortSignal): Promise<HttpResult> {
    flight.passengers++
    try {
      return await abortable(flight.result, signal)
    } finally {
      flight.passengers--
      if (flight.passengers === 0 && signal.aborted) {
        // Who asks from now on starts anew.
        if (this.#flights.get(key) === flight) this.#flights.delete(key)
        flight.ends.abort(signal.reason)
      }
    }
  }
}
