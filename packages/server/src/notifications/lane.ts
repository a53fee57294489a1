import { setTimeout as sleep } from 'node:timers/promises'
import type { notificationDeliveries } from '../db/schema.ts'
import { probeAfter, retryAfter } from './back-off.ts'
import { type Attempt, attemptMs, type FailedAttempt } from './parcel.ts'
import { type DeliveryQueue, type HeldEndpoint, holdMs, pageSize, type WaitingDelivery } from './queue.ts'

export type LaneParts = {
  queue: DeliveryQueue
  send(endpoint: HeldEndpoint, delivery: WaitingDelivery, signal: AbortSignal): Promise<Attempt>
  /** Waits for a place among the requests of all endpoints like this one; resolves to the function that gives it back. */
  enter(endpoint: HeldEndpoint): Promise<() => void>
  /** @returns how long the endpoint must not be sent to yet, in ms; 0: it may be, and this counts */
  paceMs(endpoint: HeldEndpoint): number
  /** Disables an endpoint, and tells its owner why. */
  disable(endpoint: HeldEndpoint, reason: string): Promise<void>
  onAttempt(endpoint: HeldEndpoint, delivery: WaitingDelivery, attempt: Attempt): void
  now(): number
  random?: () => number
}

/** Requests at a time to one endpoint with a long backlog. */
const mostAtOnce = 8
const dayMs = 24 * 60 * 60 * 1000
/** An endpoint is disabled after failing this long without a success, while the service was running. */
const disableAfterMs = 5 * dayMs
/** For this long, the service tries to send a callback. Nobody waits longer to hear what became of a signal. */
const callbackMs = dayMs
const mostPauseMs = 60 * 60 * 1000
/** If an attempt is later than this, the service was not running or had no database, which is no fault of the endpoint. */
const latenessMs = 5 * 60 * 1000
/** A request that could outlast this node's claim of the endpoint is not started. */
const reserveMs = attemptMs + 15_000

/**
 * Sends the waiting notifications of one endpoint, in order. A failing endpoint gets one notification from time to time,
 * until it accepts one. A notification that an endpoint refuses while it accepts others does not block these.
 */
export class Lane {
  readonly endpointId: number
  #parts: LaneParts
  #signal: AbortSignal
  #heldUntilMs = 0
  #again = true

  constructor(endpointId: number, parts: LaneParts, signal: AbortSignal) {
    this.endpointId = endpointId
    this.#parts = parts
    this.#signal = signal
  }

  /** Call it when there may be something more to send. */
  wake(): void {
    this.#again = true
  }

  /** Resolves when there is nothing to send now, or another node has the endpoint. Releases the claim. */
  async run(): Promise<void> {
    try {
      while (this.#again && !this.#signal.aborted) {
        this.#again = false
        while (!this.#signal.aborted && (await this.#step()));
      }
    } finally {
      await this.#parts.queue.release(this.endpointId)
    }
  }

  /** @returns whether there may be more to do at once */
  async #step(): Promise<boolean> {
    const endpoint = await this.#hold()
    if (endpoint === undefined) return false
    const waiting = await this.#next(endpoint)
    // People read a chat from top to bottom, and chat services want one message at a time.
    const width = waiting.length < pageSize || endpoint.kind !== 'webhook' ? 1 : mostAtOnce
    const wentWell = await this.#sendAll(endpoint, waiting, width)
    return waiting.length > 0 && (wentWell || endpoint.failures === 0)
  }

  async #hold(): Promise<HeldEndpoint | undefined> {
    const startedMs = performance.now()
    const endpoint = await this.#parts.queue.hold(this.endpointId)
    if (endpoint !== undefined) this.#heldUntilMs = startedMs + holdMs
    return endpoint
  }

  async #next(endpoint: HeldEndpoint): Promise<WaitingDelivery[]> {
    const { queue } = this.#parts
    const { id, failures, probeAt, failingNotificationId } = endpoint
    if (failures === 0) return queue.page(id, this.#at())
    if (probeAt === null || probeAt <= this.#at()) return queue.probe(id)
    return failingNotificationId === null ? [] : queue.untried(id, failingNotificationId)
  }

  /** Stops at the first failure. @returns whether there was none */
  async #sendAll(first: HeldEndpoint, waiting: WaitingDelivery[], width: number): Promise<boolean> {
    let wentWell = true
    let endpoint: HeldEndpoint | undefined = first
    const left = waiting[Symbol.iterator]()
    const work = async () => {
      for (const delivery of left) {
        await this.#keepPace(first)
        if (!this.#maySend()) return
        // Read again for each: an endpoint that was deactivated or deleted gets nothing more.
        endpoint = await this.#parts.queue.read(this.endpointId)
        if (endpoint === undefined || !wentWell) return
        if (!(await this.#sendOne({ ...endpoint, failures: first.failures }, delivery))) wentWell = false
        if (!wentWell) return
      }
    }
    await Promise.all(Array.from({ length: Math.min(width, waiting.length) }, work))
    return wentWell && endpoint !== undefined
  }

  /** Waits until the endpoint may be sent to. It may have been waited for too long then to send at once. */
  async #keepPace(endpoint: HeldEndpoint): Promise<void> {
    for (;;) {
      const waitMs = this.#maySend() ? this.#parts.paceMs(endpoint) : 0
      if (waitMs === 0) return
      await sleep(waitMs, undefined, { signal: this.#signal }).catch(() => undefined)
    }
  }

  #maySend(): boolean {
    return !this.#signal.aborted && performance.now() + reserveMs < this.#heldUntilMs
  }

  async #sendOne(endpoint: HeldEndpoint, delivery: WaitingDelivery): Promise<boolean> {
    const leave = await this.#parts.enter(endpoint)
    try {
      if (!this.#maySend()) return true
      const attempt = await this.#parts.send(endpoint, delivery, this.#signal)
      this.#parts.onAttempt(endpoint, delivery, attempt)
      if (attempt.ok) await this.#succeeded(endpoint, delivery, attempt.status)
      else await this.#failed(endpoint, delivery, attempt)
      return attempt.ok
    } finally {
      leave()
    }
  }

  async #succeeded(endpoint: HeldEndpoint, delivery: WaitingDelivery, status: number): Promise<void> {
    const { queue } = this.#parts
    await queue.delivered(delivery, status, this.#at())
    if (endpoint.failures > 0) await queue.recovered(endpoint.id)
  }

  async #failed(endpoint: HeldEndpoint, delivery: WaitingDelivery, attempt: FailedAttempt): Promise<void> {
    const { queue, disable, now, random } = this.#parts
    // One moment for all of it, so that what is stored agrees.
    const atMs = now()
    const at = new Date(atMs)
    await queue.refused(delivery, this.#afterRefusal(endpoint, delivery, attempt, atMs), at)
    const isCallback = isForCallbacks(endpoint)
    if (attempt.gone !== undefined && !isCallback) return disable(endpoint, attempt.gone)
    const since = endpoint.failingSince ?? at
    const untriedSeconds = untriedOf(endpoint, atMs)
    const failingMs = atMs - since.getTime() - 1_000 * untriedSeconds
    const waitMs =
      pauseOf(attempt) ?? probeAfter(endpoint.failures + 1, failingMs, attempt.retryAfterMs, random)
    // An endpoint that asks for a pause asks for it for all notifications.
    const cause = attempt.retryAfterMs === null && !attempt.isBusy ? delivery.notificationId : null
    await queue.failed(endpoint, cause, { now: at, probeAt: new Date(atMs + waitMs), untriedSeconds })
    if (failingMs < (isCallback ? callbackMs : disableAfterMs)) return
    const reason = `Every delivery since ${since.toISOString()} failed. Last error: ${attempt.error}`
    // The next signal may name the host again, so it is not disabled.
    await (isCallback ? queue.giveUp(endpoint.id, reason) : disable(endpoint, reason))
  }

  /** A refusal counts against the notification only if the endpoint accepts others. */
  #afterRefusal(
    endpoint: HeldEndpoint,
    { strikes, createdAt }: WaitingDelivery,
    attempt: FailedAttempt,
    atMs: number,
  ): Partial<typeof notificationDeliveries.$inferInsert> {
    const { status, error, retryAfterMs } = attempt
    const change = { lastStatus: status, lastError: error }
    if (attempt.isBusy) return change
    const isCallback = isForCallbacks(endpoint)
    // It speaks for this address alone: another callback has an address of its own.
    if (isCallback && status === 410) return { ...change, status: 'FAILED' }
    if (endpoint.failures > 0) return change
    const waitMs = retryAfter(strikes + 1, this.#parts.random)
    if (waitMs === undefined) return { ...change, strikes: strikes + 1, status: 'FAILED' }
    const longer = Math.max(waitMs, Math.min(retryAfterMs ?? 0, mostPauseMs))
    if (isCallback && atMs + longer - createdAt.getTime() > callbackMs) {
      return { ...change, strikes: strikes + 1, status: 'FAILED' }
    }
    return { ...change, strikes: strikes + 1, nextAttemptAt: new Date(atMs + longer) }
  }

  #at(): Date {
    return new Date(this.#parts.now())
  }
}

/** How long nobody has tried a failing endpoint although an attempt was due, with the time before this one, in s. */
function untriedOf({ probeAt, untriedSeconds }: HeldEndpoint, atMs: number): number {
  const lateMs = probeAt === null ? 0 : atMs - probeAt.getTime()
  return lateMs > latenessMs ? untriedSeconds + Math.round(lateMs / 1_000) : untriedSeconds
}

/** The pause that a chat service asks for, without more: it knows its own limits. At most an hour. */
function pauseOf({ isBusy, retryAfterMs }: FailedAttempt): number | undefined {
  return isBusy && retryAfterMs !== null ? Math.min(retryAfterMs, mostPauseMs) : undefined
}

export function isForCallbacks({ callbackOrigin }: Pick<HeldEndpoint, 'callbackOrigin'>): boolean {
  return callbackOrigin !== null
}
