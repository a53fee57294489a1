import { setTimeout as sleep } from 'node:timers/promises'
import { decimal, plain } from '../../base/decimals.ts'
import { isDatabaseAway } from '../../base/failures.ts'
import { Outage } from '../../base/outage.ts'
import { Sweeper } from '../../base/sweeper.ts'
import type { Catalogue } from '../../catalogue/catalogue.ts'
import type { Database } from '../../db/database.ts'
import type { Announce } from '../../live/changes.ts'
import type { Market } from '../../market/market.ts'
import type { MarketRules } from '../../market/rules.ts'
import { betterMarks, judge } from '../../trading/protection/plan.ts'
import { announceSignal } from '../queued-closes.ts'
import { type ExitOutcome, queueExit } from './exits.ts'
import { ProtectionStore, type WatchedPosition } from './store.ts'

export type ProtectionWatchParts = {
  database: Database
  market: Pick<Market, 'follow' | 'latest' | 'rules'>
  catalogue: Pick<Catalogue, 'find'>
  /** Announces bots for which closes are queued. */
  announce(botIds: number[]): void
  /** Tells live streams. Default: nobody. */
  onChange?: Announce
  /** Looks at the stop at the exchange, which a price has reached. Default: there is none. */
  keepNow?(botId: number, symbol: string): void
  onError(error: unknown): void
  /** For how long a stop at the exchange comes first. */
  exchangeFirstMs?: number
  sweepMs?: number
}

/** How often it reads the positions, stores marks, and looks at times and at prices that do not change. */
const defaultSweepMs = 1_000
/** The exchange executes its order within moments, if its price is that of the service. */
const defaultExchangeFirstMs = 5_000
/** Meanwhile, it is asked this often. */
const promptMs = 500

/** A close does not wait longer for the rules of its market, which only tell whether an order can be so small. */
const rulesPatienceMs = 1_000

/** `quiet`: prices between these bounds change nothing. `isActing`: a close is being queued. */
type Entry = {
  watched: WatchedPosition
  quiet: { above: number; below: number } | null
  isDirty: boolean
  isActing: boolean
  /** The size that was too small for an order. */
  dust: string | null
  /** Since when the price is beyond the stop; `null` if it is not. */
  beyondSince: number | null
  /** Until then, the exchange comes first, and was asked just now. */
  promptedUntil: number
  unfollow(): void
}

/**
 * Watches the prices of all protected positions, and queues the closes that they need. Every node may do this: only one
 * of them queues a close. It keeps nothing that the database could not tell after a restart, except the marks of the last
 * second.
 */
export class ProtectionWatch {
  #parts: ProtectionWatchParts
  #store: ProtectionStore
  #entries = new Map<string, Entry>()
  #acting = new Set<Promise<void>>()
  #outage = new Outage()
  #sweeper: Sweeper

  constructor(parts: ProtectionWatchParts) {
    this.#parts = parts
    this.#store = new ProtectionStore(parts.database)
    this.#sweeper = new Sweeper({
      work: async () => {
        await this.look()
        this.#outage.worked()
      },
      everyMs: parts.sweepMs ?? defaultSweepMs,
      onError: (error) => void (this.#outage.failed() && parts.onError(error)),
    })
  }

  start(): void {
    this.#sweeper.start()
  }

  async stop(): Promise<void> {
    await this.#sweeper.stop()
    for (const { unfollow } of this.#entries.values()) unfollow()
    await Promise.all(this.#acting)
    await this.#saveMarks().catch(() => undefined)
  }

  /** Looks at the positions now: some may have changed. */
  wake(): void {
    this.#sweeper.wake()
  }

  /** Stores marks, reads the positions, and judges each of them at its current price. */
  async look(now = Date.now()): Promise<void> {
    await this.#saveMarks()
    const found = new Map((await this.#store.watched()).map((watched) => [keyOf(watched), watched]))
    for (const [key, entry] of this.#entries) {
      if (found.has(key)) continue
      entry.unfollow()
      this.#entries.delete(key)
    }
    for (const [key, watched] of found) {
      const entry = this.#entries.get(key)
      if (entry === undefined) this.#add(key, watched)
      else refresh(entry, watched)
    }
    for (const entry of this.#entries.values()) {
      const place = this.#parts.catalogue.find(entry.watched.exchangeId)
      const quote = place && this.#parts.market.latest(place, entry.watched.symbol)
      this.#judge(entry, quote?.price ?? null, now)
    }
    await Promise.all(this.#acting)
  }

  #add(key: string, watched: WatchedPosition): void {
    const place = this.#parts.catalogue.find(watched.exchangeId)
    const entry: Entry = {
      ...{ watched, quiet: null, isDirty: false, isActing: false, dust: null },
      ...{ beyondSince: null, promptedUntil: 0 },
      unfollow: () => undefined,
    }
    this.#entries.set(key, entry)
    if (place === undefined) return
    entry.unfollow = this.#parts.market.follow(place, watched.symbol, ({ price }) => {
      if (!isQuiet(entry, price)) this.#judge(entry, price, Date.now())
    })
  }

  #judge(entry: Entry, quote: number | null, now: number): void {
    const { watched } = entry
    const price = quote === null ? null : plain(decimal(String(quote)))
    const { marks, next } = judge(watched.position, watched.settings, watched.marks, { price, now })
    if (price !== null) {
      entry.isDirty ||= marks.bestPrice !== watched.marks.bestPrice || next.step === 'move'
      entry.watched = { ...watched, marks }
    }
    entry.quiet = next.step === 'close' ? null : quietOf(entry.watched)
    entry.beyondSince = next.step === 'close' ? (entry.beyondSince ?? now) : null
    if (now < entry.promptedUntil) return
    if (next.step !== 'close' || entry.isActing || this.#sweeper.isStopped) return
    if (entry.dust === (next.size ?? watched.position.size)) return
    entry.isActing = true
    const acting = this.#act(entry, { price, now })
      .catch((error: unknown) => {
        // The next look tries again.
        if (!isDatabaseAway(error)) this.#parts.onError(error)
      })
      .finally(() => {
        entry.isActing = false
        this.#acting.delete(acting)
      })
    this.#acting.add(acting)
  }

  async #act(entry: Entry, at: { price: string | null; now: number }): Promise<void> {
    const { database, announce, onChange } = this.#parts
    const { watched } = entry
    const { exchangeFirstMs = defaultExchangeFirstMs, keepNow } = this.#parts
    const isExchangeFirst = at.now - (entry.beyondSince ?? at.now) < exchangeFirstMs
    const rules = await this.#rulesOf(watched)
    const outcome: ExitOutcome = await queueExit(database, watched, at, rules, isExchangeFirst)
    if (outcome === 'kept') {
      entry.promptedUntil = at.now + promptMs
      keepNow?.(watched.botId, watched.symbol)
    }
    if (outcome === 'dust') {
      const { next } = judge(watched.position, watched.settings, watched.marks, at)
      if (next.step === 'close') entry.dust = next.size ?? watched.position.size
    }
    if (typeof outcome === 'string') return
    announce([watched.botId])
    announceSignal(onChange, outcome.signalId)
  }

  async #rulesOf({ exchangeId, symbol }: WatchedPosition): Promise<MarketRules | null> {
    const { catalogue, market } = this.#parts
    const place = catalogue.find(exchangeId)
    if (place === undefined) return null
    const rules = market.rules(place, symbol).catch(() => null)
    return Promise.race([rules, sleep(rulesPatienceMs, null, { ref: false })])
  }

  async #saveMarks(): Promise<void> {
    const dirty = [...this.#entries.values()].filter(({ isDirty }) => isDirty)
    for (const entry of dirty) entry.isDirty = false
    try {
      await this.#store.save(dirty.map(({ watched }) => watched))
    } catch (error) {
      for (const entry of dirty) entry.isDirty = true
      throw error
    }
  }
}

/** Keeps the marks of this process, which may be newer than those in the database. */
function refresh(entry: Entry, read: WatchedPosition): void {
  const { watched: known } = entry
  const isSame = known.generation === read.generation && known.position.openedAt === read.position.openedAt
  const marks = isSame ? betterMarks(read.position.side, read.marks, known.marks) : read.marks
  if (known.position.size !== read.position.size) entry.dust = null
  entry.watched = { ...read, marks }
}

/** Between the stop and the best price so far, nothing can happen: targets and better stops are beyond the best price. */
function quietOf({ position: { side }, marks: { stop, bestPrice } }: WatchedPosition): Entry['quiet'] {
  if (bestPrice === null) return null
  const stopAt = stop === null ? null : Number(stop.price)
  const best = Number(bestPrice)
  return side === 'long'
    ? { above: stopAt ?? 0, below: best }
    : { above: best, below: stopAt ?? Number.POSITIVE_INFINITY }
}

/** At the bounds themselves, where a float may differ from the decimal, the exact comparison decides. */
function isQuiet({ quiet }: Entry, price: number): boolean {
  return quiet !== null && price > quiet.above * (1 + 1e-9) && price < quiet.below * (1 - 1e-9)
}

function keyOf({ botId, symbol }: WatchedPosition): string {
  return `${botId} ${symbol}`
}
