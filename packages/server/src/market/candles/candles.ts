import {
  type Candle,
  candlesPerCall,
  candleTimeoutMs,
  endingOf,
  openingOf,
  readInterval,
} from '@tickwright/sandbox'
import { LRUCache } from 'lru-cache'
import { latestUsed } from '../../base/latest-used.ts'
import { keepPace, TokenBuckets } from '../../base/token-buckets.ts'
import { type MarketVenue, VenueUnreachable } from '../price-source.ts'
import { type CandleSource, type ListedMarket, NoSuchCandles } from './candle-source.ts'
import { CandleSeries, type SeriesOptions, settle } from './series.ts'

/** Candles in memory, of all series: about 40 MB. */
const mostCandles = 250_000
/** A series without candles takes memory, too. */
const leastSize = 10
const maxSpellings = 20_000

/** Series and ranges that an account may load: this many a second, and this many after a pause. */
const loadsPerSecond = 2
const loadsAtOnce = 120
/** Series that it may bring up to date, which costs an exchange much less. */
const updatesPerSecond = 20
const updatesAtOnce = 200
/** An exchange takes tens of megabytes while it is open, so an account may open only a few: ten, then one in ten seconds. */
const openingsPerSecond = 0.1
const openingsAtOnce = 10
/** An account that has opened an exchange may open it again for this long, since an exchange closes when nobody asks it. */
const openedMs = 600_000
const mostOpened = 20_000

export type CandlesOptions = {
  source: CandleSource
  /** The venue's name for a symbol in any spelling. */
  resolve(venue: MarketVenue, spelling: string): Promise<string>
  /** How long a caller waits. */
  patienceMs?: number
}

/** `ownerId`: the account that asks. */
export type CandleQuestion = { ownerId: number; symbol: string; interval: string }

/** Opening times in Unix milliseconds: `since` counts, `until` does not. */
export type CandleRange = { since: number; until: number }

/**
 * The candles of this node, shared by all accounts: it sends one request for all who ask for the same at the same time,
 * and keeps what is done. Each account may start only so many loads.
 */
export class Candles {
  #options: CandlesOptions
  /** The key of a series by the key of each spelling in use, so that a ready answer takes no look-up of the symbol. */
  #spellings = latestUsed<string, string>(maxSpellings)
  #series = new LRUCache<string, CandleSeries>({ maxSize: mostCandles })
  #ranges = new LRUCache<string, readonly Candle[]>({ maxSize: mostCandles / 5 })
  #rangesLoading = new Map<string, Promise<readonly Candle[]>>()
  #loads = new TokenBuckets(loadsPerSecond, loadsAtOnce)
  #updates = new TokenBuckets(updatesPerSecond, updatesAtOnce)
  #openings = new TokenBuckets(openingsPerSecond, openingsAtOnce)
  #opened = latestUsed<string, true>(mostOpened, openedMs)

  constructor(options: CandlesOptions) {
    this.#options = options
  }

  /** The time on the clock of a venue's market, in Unix milliseconds. */
  timeOf(venue: MarketVenue): number {
    return this.#options.source.clockOf(venue).now()
  }

  /** The markets of a venue, in order of their symbols. Rejects as `latest` does. */
  async markets(venue: MarketVenue, ownerId: number): Promise<readonly ListedMarket[]> {
    this.#allowOpening(venue, ownerId)
    return this.#inTime(venue, 'its markets', this.#options.source.markets(venue))
  }

  /**
   * The latest candles, oldest first, with the unfinished one. Callers must not change them.
   * @throws {NoSuchMarket} for an unknown symbol
   * @throws {NoSuchCandles} for an interval or count that the venue does not have
   * @throws {VenueUnreachable} if the venue cannot be asked, or does not answer in time
   * @throws {AppError} 429 if the account has started too many loads
   */
  async latest(venue: MarketVenue, question: CandleQuestion, count: number): Promise<readonly Candle[]> {
    const key = this.#spellings.get(keyOf(venue, question.symbol, question.interval))
    const ready = key === undefined ? undefined : this.#series.get(key)?.ready(count)
    if (ready !== undefined) return ready
    this.#allowOpening(venue, question.ownerId)
    const what = `${question.interval} candles of ${question.symbol.trim()}`
    return this.#inTime(venue, what, this.#load(venue, question, count))
  }

  /**
   * Candles of the past, oldest first: at most 1,000. Rejects as `latest` does.
   */
  async range(venue: MarketVenue, question: CandleQuestion, range: CandleRange): Promise<readonly Candle[]> {
    this.#allowOpening(venue, question.ownerId)
    const what = `${question.interval} candles of ${question.symbol.trim()}`
    return this.#inTime(venue, what, this.#range(venue, question, range))
  }

  /**
   * The venue's name for a symbol that has candles of an interval from a moment on; without an interval, for any symbol.
   * Rejects as `latest` does.
   */
  async named(
    venue: MarketVenue,
    question: Omit<CandleQuestion, 'interval'> & { interval?: string },
    fromMs: number,
  ): Promise<string> {
    this.#allowOpening(venue, question.ownerId)
    return this.#inTime(venue, 'its markets', this.#named(venue, question, fromMs))
  }

  async #named(
    venue: MarketVenue,
    { symbol, interval }: { symbol: string; interval?: string },
    fromMs: number,
  ): Promise<string> {
    if (interval !== undefined) {
      this.#demandKept(venue, interval, await this.#intervalOf(venue, interval), fromMs)
    }
    return this.#options.resolve(venue, symbol)
  }

  async #load(venue: MarketVenue, question: CandleQuestion, count: number): Promise<readonly Candle[]> {
    const { duration, kept } = await this.#intervalOf(venue, question.interval)
    if (count > kept) {
      const message = `${labelOf(venue)} keeps only its latest ${kept} candles of an interval. Ask for at most ${kept}.`
      throw new NoSuchCandles('count', message)
    }
    const symbol = await this.#options.resolve(venue, question.symbol)
    const series = this.#seriesOf(venue, symbol, question, { duration, kept })
    return (
      series.ready(count) ?? (await series.load(count, (isUpdate) => this.#allow(question.ownerId, isUpdate)))
    )
  }

  #seriesOf(
    venue: MarketVenue,
    symbol: string,
    { symbol: spelling, interval }: CandleQuestion,
    parts: Pick<SeriesOptions, 'duration' | 'kept'>,
  ): CandleSeries {
    const key = keyOf(venue, symbol, interval)
    this.#spellings.set(keyOf(venue, spelling, interval), key)
    const known = this.#series.get(key)
    if (known !== undefined) return known
    const { source } = this.#options
    const series = new CandleSeries({
      ...{ ...parts, source, clock: source.clockOf(venue), venue, symbol, interval },
      onLoaded: (size) => this.#series.set(key, series, { size: leastSize + size }),
    })
    this.#series.set(key, series, { size: leastSize })
    return series
  }

  async #range(
    venue: MarketVenue,
    { ownerId, symbol: spelling, interval }: CandleQuestion,
    range: CandleRange,
  ): Promise<readonly Candle[]> {
    const { duration, kept } = await this.#intervalOf(venue, interval)
    const { source, resolve } = this.#options
    const symbol = await resolve(venue, spelling)
    const { now, graceMs } = source.clockOf(venue)
    const at = now()
    this.#demandKept(venue, interval, { duration, kept }, range.since)
    const key = `${keyOf(venue, symbol, interval)} ${range.since} ${range.until}`
    const known = this.#ranges.get(key) ?? this.#rangesLoading.get(key)
    if (known !== undefined) return known
    this.#allow(ownerId, false)
    const count = Math.min(candlesPerCall, Math.ceil((range.until - range.since) / duration.ms))
    const loading = source
      .candles(venue, symbol, { interval, count, since: range.since, at })
      .then((found) => {
        const within = found.filter(({ time }) => time >= range.since && time < range.until)
        const candles = settle(within, duration, at, graceMs)
        // Only what never changes again is kept.
        const isOver = at >= endingOf(duration, range.until) + graceMs
        if (isOver) this.#ranges.set(key, candles, { size: leastSize + candles.length })
        return candles
      })
      .finally(() => this.#rangesLoading.delete(key))
    this.#rangesLoading.set(key, loading)
    return loading
  }

  async #intervalOf(venue: MarketVenue, interval: string) {
    const { names, kept } = await this.#options.source.intervals(venue)
    const duration = readInterval(interval)
    if (duration !== undefined && names.includes(interval)) return { duration, kept }
    const shown = interval.slice(0, 20)
    throw new NoSuchCandles(
      'interval',
      `${labelOf(venue)} has no candles of "${shown}". Its intervals are ${names.join(', ')}.`,
    )
  }

  /** Some exchanges keep only their latest candles. @throws {NoSuchCandles} */
  #demandKept(
    venue: MarketVenue,
    interval: string,
    { duration, kept }: Pick<SeriesOptions, 'duration' | 'kept'>,
    since: number,
  ): void {
    const at = this.timeOf(venue)
    if (endingOf(duration, since, kept) >= at) return
    const oldest = new Date(endingOf(duration, openingOf(duration, at), 1 - kept)).toISOString()
    const message = `${labelOf(venue)} keeps only its latest ${kept} candles of an interval, so its ${interval} candles begin at ${oldest}. Ask for a later time or a longer interval.`
    throw new NoSuchCandles('since', message)
  }

  #allow(ownerId: number, isUpdate: boolean): void {
    const [buckets, rate] = isUpdate ? [this.#updates, updatesPerSecond] : [this.#loads, loadsPerSecond]
    keepPace(buckets, ownerId, `Your account may load ${rate} different series of candles a second.`)
  }

  #allowOpening(venue: MarketVenue, ownerId: number): void {
    if (this.#options.source.isOpen(venue)) return
    const key = `${ownerId} ${labelOf(venue)}`
    if (this.#opened.has(key)) return
    keepPace(
      this.#openings,
      ownerId,
      'Your account has used too many different exchanges within a short time.',
    )
    this.#opened.set(key, true)
  }

  /** The load goes on after the caller has given up, so that the next one finds its candles ready. */
  async #inTime<T>(venue: MarketVenue, what: string, loading: Promise<T>): Promise<T> {
    const { patienceMs = candleTimeoutMs } = this.#options
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        const message = `${labelOf(venue)} has not sent ${what} within ${patienceMs} ms. The service still waits for them: ask again in a moment.`
        reject(new VenueUnreachable(message))
      }, patienceMs)
    })
    try {
      return await Promise.race([loading, late])
    } finally {
      clearTimeout(timer)
      loading.catch(() => undefined)
    }
  }
}

function labelOf({ exchange, service }: MarketVenue): string {
  return `${exchange} ${service}`
}

function keyOf({ exchange, service }: MarketVenue, symbol: string, interval: string): string {
  return `${exchange} ${service} ${interval} ${symbol}`
}
