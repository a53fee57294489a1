import { setTimeout as sleep } from 'node:timers/promises'
import { Semaphore, SharedSemaphore } from '../base/semaphore.ts'
import { Sweeper } from '../base/sweeper.ts'
import { isForCallbacks, Lane, type LaneParts } from './lane.ts'
import type { DeliveryQueue, HeldEndpoint } from './queue.ts'

export type CourierParts = Omit<LaneParts, 'enter' | 'now' | 'paceMs'> & {
  queue: DeliveryQueue
  /** Called for errors other than failed attempts. The work is tried again. */
  onError(error: unknown, endpointId?: number): void
  /** As in a lane. Default: no endpoint has a pace. */
  paceMs?(endpoint: HeldEndpoint): number
  now?(): number
  sweepMs?: number
}

const defaultSweepMs = 1_000
/** Requests at a time, to all endpoints together. */
const mostAtOnce = 64
/**
 * The same for callbacks, and for those of one user. Senders of signals choose their addresses, so slow ones must hold up
 * neither notifications nor the callbacks of others.
 */
const mostCallbacksAtOnce = 16
const mostCallbacksOfUser = 4
/** How long a stop waits for requests in progress. The process ends after 9 s in any case. */
const patienceMs = 5_000

/** Sends notifications to endpoints. Any number of nodes can do so: one at a time works on each endpoint. */
export class Courier {
  #parts: CourierParts
  #lanes = new Map<number, { lane: Lane; running: Promise<void> }>()
  #places = new Semaphore(mostAtOnce)
  #callbackPlaces = new SharedSemaphore(mostCallbacksAtOnce, mostCallbacksOfUser)
  #sweeper: Sweeper
  /** `#stop` starts nothing new; `#giveUp`, later, cancels requests in progress. */
  #stop = new AbortController()
  #giveUp = new AbortController()

  constructor(parts: CourierParts) {
    this.#parts = parts
    const { sweepMs: everyMs = defaultSweepMs, onError } = parts
    this.#sweeper = new Sweeper({ work: () => this.#serveDue(), everyMs, onError })
  }

  start(): void {
    this.#sweeper.start()
  }

  /** Call it when there may be something to send. */
  wake(): void {
    this.#sweeper.wake()
  }

  /** Another node, or the next start, sends cancelled requests again. */
  async stop(): Promise<void> {
    this.#stop.abort()
    const swept = this.#sweeper.stop()
    const running = [...this.#lanes.values()].map((one) => one.running)
    const all = Promise.all([swept, ...running])
    await Promise.race([all, sleep(patienceMs, undefined, { ref: false })])
    this.#giveUp.abort(new Error('The service is shutting down.'))
    await all
  }

  async #serveDue(): Promise<void> {
    const due = await this.#parts.queue.due(new Date(this.#now()))
    for (const id of due) this.#serve(id)
  }

  #serve(endpointId: number): void {
    const served = this.#lanes.get(endpointId)
    if (served !== undefined) {
      served.lane.wake()
      return
    }
    if (this.#stop.signal.aborted) return
    const parts: LaneParts = {
      ...this.#parts,
      enter: (endpoint) =>
        isForCallbacks(endpoint) ? this.#callbackPlaces.acquire(endpoint.userId) : this.#places.acquire(),
      paceMs: (endpoint) => this.#parts.paceMs?.(endpoint) ?? 0,
      now: () => this.#now(),
      send: (endpoint, delivery) => this.#parts.send(endpoint, delivery, this.#giveUp.signal),
    }
    const lane = new Lane(endpointId, parts, this.#stop.signal)
    const running = lane
      .run()
      .catch((error: unknown) => {
        if (!this.#giveUp.signal.aborted) this.#parts.onError(error, endpointId)
      })
      .finally(() => this.#lanes.delete(endpointId))
    this.#lanes.set(endpointId, { lane, running })
  }

  #now(): number {
    return this.#parts.now?.() ?? Date.now()
  }
}
