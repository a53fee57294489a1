import type { LRUCache } from 'lru-cache'
import { AppError } from './errors.ts'
import { latestUsed } from './latest-used.ts'

type Bucket = { tokens: number; filledAtMs: number }

/** Lets each key through `rate` times a second, and at most `burst` times at once after a pause. */
export class TokenBuckets {
  #rate: number
  #burst: number
  #buckets: LRUCache<number, Bucket>

  /** @param max buckets in memory; the longest unused is dropped first, because it is most likely full */
  constructor(rate: number, burst: number, max = 10_000) {
    this.#rate = rate
    this.#burst = burst
    this.#buckets = latestUsed(max)
  }

  /** @returns 0 if let through, otherwise the seconds until there is room again */
  take(key: number, nowMs: number): number {
    let bucket = this.#buckets.get(key)
    if (bucket === undefined) {
      bucket = { tokens: this.#burst, filledAtMs: nowMs }
      this.#buckets.set(key, bucket)
    }
    const refill = (Math.max(0, nowMs - bucket.filledAtMs) / 1000) * this.#rate
    bucket.tokens = Math.min(this.#burst, bucket.tokens + refill)
    bucket.filledAtMs = nowMs
    if (bucket.tokens < 1) return (1 - bucket.tokens) / this.#rate
    bucket.tokens -= 1
    return 0
  }
}

/**
 * @param sentence the message of the error
 * @throws {AppError} 429 if the key has asked too often
 */
export function keepPace(buckets: TokenBuckets, key: number, sentence: string): void {
  const waitSeconds = buckets.take(key, Date.now())
  if (waitSeconds === 0) return
  throw new AppError('rate_limited', sentence, { retryAfterSeconds: Math.ceil(waitSeconds) })
}
