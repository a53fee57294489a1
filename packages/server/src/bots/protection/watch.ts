import { setTimeout as sleep } from 'node:timers/promises'
import { decimal, plain } from '../../base/decimals.ts'
import { isDue } from '../../base/due.ts'
import { isDatabaseAway } from '../../base/failures.ts'
import { Semaphore } from '../../base/semaphore.ts'
import { type Sweeper, steadySweeper } from '../../base/sweeper.ts'
import type { Catalogue } from '../../catalogue/catalogue.ts'
import type { Database } from '../../db/database.ts'
import { GroupCommit } from '../../db/group-commit.ts'
import type { Announce } from '../../live/changes.ts'
import type { Market } from '../../market/market.ts'
import type { MarketRules } from '../../market/rules.ts'
import { rulesOnPaper } from '../../trading/paper-rules.ts'
import { isBetter } from '../../trading/protection/levels.ts'
import type { MissedCourse } from '../../trading/protection/missed.ts'
import {
  betterMarks,
  exitTime,
  judge,
  type TargetLevel,
  targetLevels,
} from '../../trading/protection/plan.ts'
import type { MissedCandles } from '../missed-candles.ts'
import { announceSignal } from '../queued-closes.ts'
import { type ExitOutcome, type ExitRequest, queueExits, settleMissed } from './exits.ts'
import { missedCourse } from './missed.ts'
import { ProtectionStore, readWatched, type WatchedPosition, type WatchedText } from './store.ts'

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
  /** For what nobody watched, because no process ran; `null`: a market whose time is not that of this machine. */
  candles: MissedCandles | null
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
/** The exchange is asked at most this often about targets that the price has reached. A limit order may wait there. */
const askMs = 2_000

/** A close does not wait longer for the rules of its market, which only tell whether an order can be so small. */
const rulesPatienceMs = 1_000

/** How often it notes that it watches. */
const notedMs = 5_000
/** If it has not looked for so long, it may have missed prices. */
const pauseMs = 60_000
/** So many closes of a bot in one transaction, which holds up its orders. */
const mostExits = 20
/** So many positions at once, whose missed candles it reads. */
const readingsAtOnce = 4
/** A position whose missed candles cannot be read for this long is judged by its current price. */
const missedPatienceMs = 60_000

/**
 * `text`: what was last read of it. `quiet`: prices between these bounds change nothing. `isActing`: a close is being
 * queued.
 */
type Entry = {
  text: WatchedText
  watched: WatchedPosition
  quiet: { above: number; below: number; best: number } | null
  isDirty: boolean
  isActing: boolean
  /** The size that was too small for an order. */
  dust: string | null
  /** Since when the price is beyond the stop; `null` if it is not. */
  beyondSince: number | null
  /** Since when it waits for the candles of the time in which nobody watched. */
  unreadSince: number | null
  /** Until then, the exchange comes first, and was asked just now. */
  promptedUntil: number
  /** Until then, the exchange was asked about its targets just now. */
  askedUntil: number
  unfollow(): void
}

/**
 * Watches the prices of all protected positions, and queues the closes that they need. Every node may do this: only one
 * of them queues a close. It keeps nothing that the database could not tell after a restart, except the marks of the last
 * second. A clock that is set back makes nothing wait until it is there again.
 */
export class ProtectionWatch {
  #parts: ProtectionWatchParts
  #store: ProtectionStore
  #entries = new Map<string, Entry>()
  #acting = new Set<Promise<void>>()
  /** The closes that are being stored, by bot. */
  #exits = new Map<number, GroupCommit<ExitRequest, ExitOutcome>>()
  /** What reads missed candles. A look does not wait for it, because other positions do not. */
  #settling = new Set<Promise<void>>()
  #readings = new Semaphore(readingsAtOnce)
  #lookedAt = Number.NEGATIVE_INFINITY
  #notedAt = Number.NEGATIVE_INFINITY
  #sweeper: Sweeper

  constructor(parts: ProtectionWatchParts) {
    this.#parts = parts
    this.#store = new ProtectionStore(parts.database)
    this.#sweeper = steadySweeper({
      work: () => this.look(),
      everyMs: parts.sweepMs ?? defaultSweepMs,
      onError: (error) => parts.onError(error),
    })
  }

  start(): void {
    this.#sweeper.start()
  }

  async stop(): Promise<void> {
    await this.#sweeper.stop()
    for (const { unfollow } of this.#entries.values()) unfollow()
    await Promise.all([...this.#acting, ...this.#settling])
    await this.#saveMarks().catch(() => undefined)
  }

  /** Looks at the positions now: some may have changed. */
  wake(): void {
    this.#sweeper.wake()
  }

  /** Stores marks, reads the positions, and judges each of them at its current price. */
  async look(now = Date.now()): Promise<void> {
    await this.#saveMarks()
    // After a start, and after a time in which the machine slept or the database was away.
    if (now - this.#lookedAt >= pauseMs && this.#parts.candles !== null) await this.#store.markMissed()
    const found = await this.#store.watched()
    this.#lookedAt = now
    for (const [key, entry] of this.#entries) {
      if (found.has(key)) continue
      entry.unfollow()
      this.#entries.delete(key)
    }
    for (const [key, text] of found) {
      const entry = this.#entries.get(key)
      if (entry === undefined) this.#add(key, text)
      else if (entry.text !== text) refresh(entry, text)
    }
    if (found.size > 0 && Math.abs(now - this.#notedAt) >= notedMs) {
      await this.#store.watchedNow()
      this.#notedAt = now
    }
    for (const entry of this.#entries.values()) {
      const place = this.#parts.catalogue.find(entry.watched.exchangeId)
      const price = (place && this.#parts.market.latest(place, entry.watched.symbol)?.price) ?? null
      if (entry.watched.missedSince !== null) {
        this.#settle(entry, now)
        continue
      }
      entry.unreadSince = null
      if (!isAtRest(entry, price, now)) this.#judge(entry, price, now)
    }
    await Promise.all(this.#acting)
  }

  #add(key: string, text: WatchedText): void {
    const watched = readWatched(text)
    const place = this.#parts.catalogue.find(watched.exchangeId)
    const entry: Entry = {
      ...{ text, watched, quiet: null, isDirty: false, isActing: false, dust: null },
      ...{ beyondSince: null, unreadSince: null, promptedUntil: 0, askedUntil: 0 },
      unfollow: () => undefined,
    }
    this.#entries.set(key, entry)
    if (place === undefined) return
    entry.unfollow = this.#parts.market.follow(place, watched.symbol, ({ price }) => {
      const isReady = entry.watched.missedSince === null
      if (isReady && !isQuiet(entry, price)) this.#judge(entry, price, Date.now())
    })
  }

  #judge(entry: Entry, quote: number | null, now: number): void {
    const { watched } = entry
    const price = quote === null ? null : plain(decimal(String(quote)))
    const { kept } = watched
    const { marks, next } = judge(watched.position, watched.settings, watched.marks, { price, now, kept })
    if (price !== null) this.#askAboutTargets(entry, price, now)
    if (price !== null) {
      entry.isDirty ||= marks.bestPrice !== watched.marks.bestPrice || next.step === 'move'
      entry.watched = { ...watched, marks }
    }
    entry.quiet = next.step === 'close' ? null : quietOf(entry.watched)
    entry.beyondSince = next.step === 'close' ? Math.min(entry.beyondSince ?? now, now) : null
    if (!isDue(entry.promptedUntil, now, [promptMs])) return
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

  /** The exchange is asked what it has executed of its orders for targets that the price has reached. */
  #askAboutTargets(entry: Entry, price: string, now: number): void {
    const { position, settings, kept, botId, symbol } = entry.watched
    if (kept.length === 0 || !isDue(entry.askedUntil, now, [askMs])) return
    const isReached = ({ target, price: at }: TargetLevel) =>
      kept.includes(target) && !isBetter(position.side, at, decimal(price))
    if (!targetLevels(position, settings).some(isReached)) return
    entry.askedUntil = now + askMs
    this.#parts.keepNow?.(botId, symbol)
  }

  /** Counts the prices that nobody watched. Until then, the current price decides nothing. */
  #settle(entry: Entry, now: number): void {
    if (entry.isActing || this.#sweeper.isStopped) return
    entry.isActing = true
    entry.unreadSince = Math.min(entry.unreadSince ?? now, now)
    const settling = this.#settleMissed(entry, entry.unreadSince, now)
      .catch((error: unknown) => {
        if (!isDatabaseAway(error)) this.#parts.onError(error)
      })
      .finally(() => {
        entry.isActing = false
        this.#settling.delete(settling)
      })
    this.#settling.add(settling)
  }

  async #settleMissed({ watched }: Entry, since: number, asked: number): Promise<void> {
    const { candles, database } = this.#parts
    const askedMs = performance.now()
    const release = await this.#readings.acquire()
    try {
      if (this.#sweeper.isStopped) return
      // It may have waited for others, and the candles of that time count, too.
      const now = asked + Math.round(performance.now() - askedMs)
      let course: MissedCourse = { marks: watched.marks, close: null }
      try {
        if (candles !== null) course = await missedCourse(candles, watched, now)
      } catch (error) {
        if (now - since < missedPatienceMs) return
        this.#parts.onError(error)
      }
      const rules = await this.#rulesOf(watched)
      this.#tell(watched, await settleMissed(database, watched, course, now, rules))
    } finally {
      release()
    }
  }

  async #act(entry: Entry, at: { price: string | null; now: number }): Promise<void> {
    const { watched } = entry
    const { exchangeFirstMs = defaultExchangeFirstMs, keepNow } = this.#parts
    const isExchangeFirst = at.now - (entry.beyondSince ?? at.now) < exchangeFirstMs
    const rules = await this.#rulesOf(watched)
    const outcome = await this.#queue({ position: watched, at, rules, options: { isExchangeFirst } })
    if (outcome === 'kept') {
      entry.promptedUntil = at.now + promptMs
      keepNow?.(watched.botId, watched.symbol)
    }
    if (outcome === 'dust') {
      const { kept } = watched
      const { next } = judge(watched.position, watched.settings, watched.marks, { ...at, kept })
      if (next.step === 'close') entry.dust = next.size ?? watched.position.size
    }
    this.#tell(watched, outcome)
  }

  /** Closes of a bot that come together are stored together: the others would wait for the lock of the bot anyway. */
  async #queue(request: ExitRequest): Promise<ExitOutcome> {
    const { botId } = request.position
    const group =
      this.#exits.get(botId) ??
      new GroupCommit<ExitRequest, ExitOutcome>({
        commit: (requests) => queueExits(this.#parts.database, requests),
        ...{ batchLimit: mostExits, isolateFailures: true },
      })
    this.#exits.set(botId, group)
    try {
      return await group.submit(request)
    } finally {
      if (group.waiting === 0 && this.#exits.get(botId) === group) this.#exits.delete(botId)
    }
  }

  #tell({ botId }: WatchedPosition, outcome: ExitOutcome): void {
    const { announce, onChange } = this.#parts
    if (typeof outcome === 'string') return
    announce([botId])
    announceSignal(onChange, outcome.signalId)
  }

  async #rulesOf({ exchangeId, symbol, rules: own }: WatchedPosition): Promise<MarketRules | null> {
    const { catalogue, market } = this.#parts
    const place = catalogue.find(exchangeId)
    if (place === undefined) return null
    const rules = market
      .rules(place, symbol)
      .then((found) => rulesOnPaper(own, found))
      .catch(() => null)
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
function refresh(entry: Entry, text: WatchedText): void {
  const { watched: known } = entry
  const read = readWatched(text)
  const isSame = known.generation === read.generation && known.position.openedAt === read.position.openedAt
  const marks = isSame ? betterMarks(read.position.side, read.marks, known.marks) : read.marks
  if (known.position.size !== read.position.size) entry.dust = null
  Object.assign(entry, { text, watched: { ...read, marks }, quiet: null })
}

/** Between the stop and the best price so far, nothing can happen: targets and better stops are beyond the best price. */
function quietOf({ position: { side }, marks: { stop, bestPrice } }: WatchedPosition): Entry['quiet'] {
  if (bestPrice === null) return null
  const stopAt = stop === null ? null : Number(stop.price)
  const best = Number(bestPrice)
  return side === 'long'
    ? { above: stopAt ?? 0, below: best, best }
    : { above: best, below: stopAt ?? Number.POSITIVE_INFINITY, best }
}

/** Whether a look has nothing to do. Most positions are at rest most of the time, and a judgement costs much more. */
function isAtRest(entry: Entry, price: number | null, now: number): boolean {
  const { position, settings } = entry.watched
  const exitAt = exitTime(position, settings)
  return price !== null && isQuiet(entry, price) && (exitAt === null || now < exitAt)
}

/**
 * At the bounds themselves, where a float may differ from the decimal, the exact comparison decides: except for the best
 * price itself, which has been judged.
 */
function isQuiet({ quiet }: Entry, price: number): boolean {
  if (quiet === null) return false
  return price === quiet.best || (price > quiet.above * (1 + 1e-9) && price < quiet.below * (1 - 1e-9))
}
