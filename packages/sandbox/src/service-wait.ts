/**
 * The time in which a run does nothing but wait until the service has stored or read something for it. It does not count
 * against the time of the run, whose code can do nothing about it: while the database is away, each strategy that acts
 * would be suspended. Requests to others count, since the code decides whom it asks.
 */

import type { HostCall } from './host-calls.ts'

/** Calls that the service answers from its own database. */
const answeredByService: ReadonlySet<HostCall['name']> = new Set(['action', 'positions', 'stop'])

export class ServiceWait {
  #open = 0
  /** Of the open calls, those to the service. The first one creates it: most runs make none. */
  #openToService: Set<number> | undefined
  #beforeMs = 0
  #since: number | null = null

  called(call: number, name: HostCall['name']): void {
    this.#open += 1
    if (!answeredByService.has(name)) return
    this.#openToService ??= new Set()
    this.#openToService.add(call)
  }

  answered(call: number): void {
    this.#open -= 1
    this.#openToService?.delete(call)
  }

  /** Host calls without an answer. */
  get open(): number {
    return this.#open
  }

  /** Whether there are open calls, and only the service itself has to answer them. */
  get isForService(): boolean {
    return this.#open > 0 && this.#openToService?.size === this.#open
  }

  /** Begins, unless it has begun. */
  begin(): void {
    this.#since ??= performance.now()
  }

  /** Ends. Returns whether it had begun. */
  end(): boolean {
    if (this.#since === null) return false
    this.#beforeMs += performance.now() - this.#since
    this.#since = null
    return true
  }

  get isOn(): boolean {
    return this.#since !== null
  }

  /** All of it until `now`, in ms. */
  ms(now = performance.now()): number {
    return this.#beforeMs + (this.#since === null ? 0 : now - this.#since)
  }
}
