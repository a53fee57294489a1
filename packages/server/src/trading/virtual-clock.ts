import type { Clock } from './types.ts'

/** A clock that moves only while someone sleeps, so that hours pass at once. For one sleeper at a time. */
export class VirtualClock implements Clock {
  #now: number

  constructor(now: number) {
    this.#now = now
  }

  now(): number {
    return this.#now
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted !== true) this.#now += ms
  }

  /** Never moves back. */
  moveTo(at: number): void {
    this.#now = Math.max(this.#now, at)
  }
}
