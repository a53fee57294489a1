import type { CatalogueExchange } from '../catalogue/catalogue.ts'
import type { Database } from '../db/database.ts'
import type { Market } from '../market/market.ts'
import type { QueuedRun } from '../runs/queued-run.ts'
import type { Firing, TickStrategy } from './firing.ts'
import { listenForSchedules } from './schedules.ts'

/** A price triggers a strategy at most this often. */
const pauseMs = 1_000
/** A notification can get lost with a connection. Every node reads the strategies this often anyway. */
const reloadMs = 10_000

export type TicksParts = {
  database: Database
  firing: Pick<Firing, 'tickStrategies' | 'fireTicks'>
  market: Pick<Market, 'follow'>
  findExchange(id: number): CatalogueExchange | undefined
  /** Receives the stored runs, right after their commit. */
  handOver(runs: QueuedRun[]): void
  /** Called with each failure. The next price, or the next reading, is a new attempt. */
  onError(error: unknown): void
  /** Called whenever strategies were read, or fired. */
  onSuccess?(): void
}

/** The strategies that one symbol triggers, and how to stop following it. */
type Followed = { strategyIds: Set<number>; unfollow: () => void }

/**
 * Triggers strategies with each price update of their symbol, but at most once a second: a price within that second
 * triggers the strategy when the second is over. Each node with the role `market` does this; the database decides which
 * node is first.
 */
export class Ticks {
  #parts: TicksParts
  #followed = new Map<string, Followed>()
  /** Strategies that ran less than a second ago, and whether a price has arrived since. */
  #pausing = new Map<number, { ticked: boolean }>()
  #due = new Set<number>()
  #firing: Promise<void> | undefined
  #loading: Promise<void> | undefined
  #loadAgain = false
  #timer: NodeJS.Timeout | undefined
  #stopped = false

  constructor(parts: TicksParts) {
    this.#parts = parts
  }

  /** The number of followed symbols. */
  get followed(): number {
    return this.#followed.size
  }

  async start(): Promise<void> {
    await listenForSchedules(this.#parts.database, () => this.reload())
    this.reload()
    await this.#loading
    this.#timer = setInterval(() => this.reload(), reloadMs).unref()
  }

  /** Resolves when no work is in progress any more. */
  async stop(): Promise<void> {
    this.#stopped = true
    clearInterval(this.#timer)
    for (const { unfollow } of this.#followed.values()) unfollow()
    this.#followed.clear()
    await this.#loading
    await this.#firing
  }

  /** Reads which strategies prices trigger. Several calls share one read. */
  reload(): void {
    if (this.#stopped) return
    this.#loadAgain = true
    this.#loading ??= this.#load()
      .catch((error: unknown) => this.#parts.onError(error))
      .finally(() => {
        this.#loading = undefined
      })
  }

  async #load(): Promise<void> {
    while (this.#loadAgain && !this.#stopped) {
      this.#loadAgain = false
      const strategies = await this.#parts.firing.tickStrategies()
      this.#parts.onSuccess?.()
      if (!this.#stopped) this.#followOnly(strategies)
    }
  }

  #followOnly(strategies: TickStrategy[]): void {
    // A later read finds an exchange that is enabled later.
    const served = strategies.filter(({ exchangeId }) => this.#parts.findExchange(exchangeId)?.enabled)
    const wanted = Map.groupBy(served, ({ exchangeId, priceSymbol }) => `${exchangeId} ${priceSymbol}`)
    for (const [key, { unfollow }] of this.#followed) {
      if (wanted.has(key)) continue
      unfollow()
      this.#followed.delete(key)
    }
    for (const [key, members] of wanted) {
      const strategyIds = new Set(members.map(({ strategyId }) => strategyId))
      const followed = this.#followed.get(key)
      if (followed !== undefined) followed.strategyIds = strategyIds
      else this.#follow(key, members[0]!, strategyIds)
    }
  }

  #follow(key: string, { exchangeId, priceSymbol }: TickStrategy, strategyIds: Set<number>): void {
    const venue = this.#parts.findExchange(exchangeId)!
    const followed: Followed = { strategyIds, unfollow: () => undefined }
    this.#followed.set(key, followed)
    followed.unfollow = this.#parts.market.follow(venue, priceSymbol, () => {
      for (const id of followed.strategyIds) this.#tick(id)
    })
  }

  #tick(strategyId: number): void {
    const pause = this.#pausing.get(strategyId)
    if (pause !== undefined) {
      pause.ticked = true
      return
    }
    this.#due.add(strategyId)
    if (this.#stopped) return
    this.#firing ??= this.#fireDue().finally(() => {
      this.#firing = undefined
    })
  }

  /** Prices that arrive during a statement share the next one. */
  async #fireDue(): Promise<void> {
    // Other prices in this turn of the event loop share the statement.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#due.size > 0 && !this.#stopped) {
      const ids = [...this.#due]
      this.#due.clear()
      for (const id of ids) this.#pausing.set(id, { ticked: false })
      try {
        const runs = await this.#parts.firing.fireTicks(ids)
        this.#parts.onSuccess?.()
        this.#parts.handOver(runs)
      } catch (error) {
        // This price is lost. The next one triggers the strategy.
        this.#parts.onError(error)
      }
      setTimeout(() => this.#endPauses(ids), pauseMs).unref()
    }
  }

  #endPauses(ids: number[]): void {
    for (const id of ids) {
      const pause = this.#pausing.get(id)
      this.#pausing.delete(id)
      if (pause?.ticked) this.#tick(id)
    }
  }
}
