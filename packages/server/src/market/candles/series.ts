import { type Candle, type CandleInterval, candlesPerCall, endingOf, openingOf } from '@tickwright/sandbox'
import type { MarketVenue } from '../price-source.ts'
import type { CandleClock, CandleSource } from './candle-source.ts'

/** A load takes one of these numbers of candles, so that callers who want a few more rarely need another load. */
const loadSizes = [50, 200, 500, candlesPerCall]

/** A series keeps so many lists of different lengths. */
const mostLists = 4

/** How soon a candle is asked for again that has ended, but might still change, in ms. */
const settleMs = 500

export type SeriesOptions = {
  source: CandleSource
  clock: CandleClock
  venue: MarketVenue
  symbol: string
  interval: string
  duration: CandleInterval
  /** How many candles the venue keeps. */
  kept: number
  /** Called after each load with the number of candles in memory. */
  onLoaded(size: number): void
}

type Loading = { count: number; loaded: Promise<void> }

/**
 * The latest candles of one symbol and interval. Those that are done never change, and are kept; a further load only
 * adds what is new. Callers at the same time share one load.
 */
export class CandleSeries {
  #options: SeriesOptions
  #done: Candle[] = []
  #unfinished: Candle | undefined
  /** The lists that callers got since the last load, by count. */
  #lists = new Map<number, readonly Candle[]>()
  /** When the last load began, on the market's clock. */
  #loadedAt = Number.NEGATIVE_INFINITY
  /** Whether the venue has no candle before the first of `#done`. */
  #isWhole = false
  #loading: Loading | undefined

  constructor(options: SeriesOptions) {
    this.#options = options
  }

  /** The latest candles, if they are ready. Callers must not change them. */
  ready(count: number): readonly Candle[] | undefined {
    const { clock, duration } = this.#options
    const now = clock.now()
    const reaches = this.#isWhole || this.#size >= count
    if (!reaches || now < this.#loadedAt) return undefined
    return now < this.#freshUntil(clock.freshMs(duration.ms)) ? this.#latest(count) : undefined
  }

  /**
   * Loads the latest candles. Rejects as the source does.
   * @param onLoad called before a load that this call starts; `isUpdate`: it only adds what is new
   */
  async load(count: number, onLoad: (isUpdate: boolean) => void): Promise<readonly Candle[]> {
    // A load that began for fewer candles may leave some missing. Then this caller starts the next one.
    for (;;) {
      const loading = this.#loading
      if (loading === undefined) break
      await loading.loaded
      if (loading.count >= count || this.ready(count) !== undefined) return this.#latest(count)
    }
    const size = Math.min(this.#options.kept, loadSizes.find((each) => each >= count)!)
    onLoad(this.#continuation(size, this.#options.clock.now()) !== undefined)
    const loaded = this.#load(size).finally(() => {
      this.#loading = undefined
    })
    this.#loading = { count: size, loaded }
    await loaded
    return this.#latest(count)
  }

  get #size(): number {
    return this.#done.length + (this.#unfinished === undefined ? 0 : 1)
  }

  /** All callers share one list for each count, so that it is packed once. */
  #latest(count: number): readonly Candle[] {
    let latest = this.#lists.get(count)
    if (latest === undefined) {
      const all = this.#unfinished === undefined ? this.#done : [...this.#done, this.#unfinished]
      latest = all.slice(-count)
      if (this.#lists.size >= mostLists) this.#lists.clear()
      this.#lists.set(count, latest)
    }
    return latest
  }

  /** An unfinished candle is current until it ends, and no longer than the source says. */
  #freshUntil(freshMs: number): number {
    const { duration } = this.#options
    const opening = this.#unfinished?.time ?? openingOf(duration, this.#loadedAt)
    const ending = endingOf(duration, opening)
    const next = this.#loadedAt < ending ? ending : this.#loadedAt + settleMs
    return Math.min(next, this.#loadedAt + freshMs)
  }

  async #load(size: number): Promise<void> {
    const { source, clock, venue, symbol, interval, duration, onLoaded } = this.#options
    const at = clock.now()
    const since = this.#continuation(size, at)
    const window = { interval, count: size, at, ...(since === undefined ? {} : { since }) }
    const found = await source.candles(venue, symbol, window)
    const candles = settle(found, duration, at, clock.graceMs)
    if (since === undefined) {
      this.#done = []
      this.#isWhole = found.length < size
    }
    this.#unfinished = undefined
    const lastKept = this.#done.at(-1)?.time ?? Number.NEGATIVE_INFINITY
    for (const candle of candles) {
      if (candle.time <= lastKept) continue
      if (candle.done) this.#done.push(candle)
      else this.#unfinished = candle
    }
    if (this.#done.length > candlesPerCall) {
      this.#done = this.#done.slice(-candlesPerCall)
      this.#isWhole = false
    }
    this.#loadedAt = at
    this.#lists.clear()
    onLoaded(this.#size)
  }

  /** Where a load can continue that only adds what is new; `undefined` if everything has to be loaded. */
  #continuation(size: number, at: number): number | undefined {
    const { duration } = this.#options
    const last = this.#done.at(-1)
    if (last === undefined || at < this.#loadedAt) return undefined
    if (!this.#isWhole && this.#done.length + 1 < size) return undefined
    const since = endingOf(duration, last.time)
    return (at - since) / duration.ms < size - 1 ? since : undefined
  }
}

/**
 * Decides which candles are done: those that have ended, if a later one has begun or the time is over in which the exchange
 * may still change them. Drops those that open in the future: the clock of the exchange may be ahead.
 */
export function settle(
  found: readonly Candle[],
  duration: CandleInterval,
  at: number,
  graceMs: number,
): Candle[] {
  const begun = found.filter(({ time }) => time <= at)
  return begun.map((candle, index) => {
    const ending = endingOf(duration, candle.time)
    const isFollowed = index + 1 < found.length
    const done = at >= ending + graceMs || (isFollowed && at >= ending)
    return Object.freeze({ ...candle, done })
  })
}
