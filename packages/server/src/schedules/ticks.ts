import type { CatalogueExchange } from '../catalogue/catalogue.ts'
import type { Database } from '../db/database.ts'
import type { Market } from '../market/market.ts'
import type { QueuedRun } from '../runs/queued-run.ts'
import type { Firing, TickStrategy } from './firing.ts'
import { hearOfSchedules } from './schedules.ts'

/** As often as the price of a symbol sets one strategy off, at the most. */
const gateMs = 1_000
/** A notification can get lost with a connection; after this long every node knows anyway. */
const reloadMs = 10_000

export type TicksParts = {
  database: Database
  firing: Pick<Firing, 'tickStrategies' | 'fireTicks'>
  market: Pick<Market, 'follow'>
  findExchange(id: number): CatalogueExchange | undefined
  /** Takes the runs that were stored, right after their commit. */
  handOver(runs: QueuedRun[]): void
  /** Called with each failure. The next price, or the next reading, is a new attempt. */
  onError(error: unknown): void
  /** Called whenever strategies were read, or fired. */
  onSuccess?(): void
}

/** The strategies that one symbol sets off, and how to stop following it. */
type Followed = { strategyIds: Set<number>; unfollow: () => void }

/**
 * Sets strategies off with the price of their symbol: with each update, but once a second at the most, and then
 * with the latest. Each node with the role `market` does so; the database says which of them was first.
 */
export class Ticks {
  #parts: TicksParts
  #followed = new Map<string, Followed>()
  /** Strategies that may not run again yet, and whether a price has come since. */
  #gated = new Map<number, { ticked: boolean }>()
  #due = new Set<number>()
  #firing: Promise<void> | undefined
  #loading: Promise<void> | undefined
  #loadAgain = false
  #timer: NodeJS.Timeout | undefined
  #stopped = false

  constructor(parts: TicksParts) {
    this.#parts = parts
  }

  /** Symbols that are followed. */
  get followed(): number {
    return this.#followed.size
  }

  async start(): Promise<void> {
    await hearOfSchedules(this.#parts.database, () => this.reload())
    this.reload()
    await this.#loading
    this.#timer = setInterval(() => this.reload(), reloadMs).unref()
  }

  /** Resolves when nothing is under way any more. */
  async stop(): Promise<void> {
    this.#stopped = true
    clearInterval(this.#timer)
    for (const { unfollow } of this.#followed.values()) unfollow()
    this.#followed.clear()
    await this.#loading
    await this.#firing
  }

  /** Reads which strategies there are; several askers share one reading. */
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
    // An exchange that is switched on later is found by a later reading.
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
    const gate = this.#gated.get(strategyId)
    if (gate !== undefined) {
      gate.ticked = true
      return
    }
    this.#due.add(strategyId)
    if (this.#stopped) return
    this.#firing ??= this.#fireDue().finally(() => {
      this.#firing = undefined
    })
  }

  /** What comes while a statement is under way goes out together with the next. */
  async #fireDue(): Promise<void> {
    // What else ticks in this turn of the event loop goes along.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#due.size > 0 && !this.#stopped) {
      const ids = [...this.#due]
      this.#due.clear()
      for (const id of ids) this.#gated.set(id, { ticked: false })
      try {
        const runs = await this.#parts.firing.fireTicks(ids)
        this.#parts.onSuccess?.()
        this.#parts.handOver(runs)
      } catch (error) {
        // The price has gone by; the next one is a new chance.
        this.#parts.onError(error)
      }
      setTimeout(() => this.#openGates(ids), gateMs).unref()
    }
  }

  #openGates(ids: number[]): void {
    for (const id of ids) {
      const gate = this.#gated.get(id)
      this.#gated.delete(id)
      if (gate?.ticked) this.#tick(id)
    }
  }
}
