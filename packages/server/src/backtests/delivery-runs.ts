/** Runs of code on payloads of the past, each at the moment when it came. */
import type { SeriesEvent } from '@tickwright/sandbox'
import type { MarketData } from './market-data.ts'
import type { MarketTimes } from './market-times.ts'
import type { Reach, Runs, View } from './runs.ts'

/** What `$.Request` has: the body byte for byte, headers with lower-case names, and the address of the sender. */
export type PastRequest = { data: string; headers: Record<string, string>; ip: string }

/** Stored deliveries, in order of their times and then of their ids. */
export type PastDeliveries = {
  /** When each came, in Unix ms. */
  times: Float64Array
  requestOf(index: number): PastRequest
  /** Whether the strategy uses a price, without which the service skips a run. */
  usesPrice: boolean
  /** Of all that they are. */
  digest: string
}

/** One run for each delivery, except those that the service would have skipped because no price was known. */
export class DeliveryRuns implements Runs {
  readonly #data: MarketData
  readonly #deliveries: PastDeliveries
  /** The deliveries that have a run, by number. */
  readonly #runs: Uint32Array

  constructor(data: MarketData, deliveries: PastDeliveries) {
    this.#data = data
    this.#deliveries = deliveries
    this.#runs = runnable(data, deliveries)
  }

  within(warmUp: number, end: number): { first: number; last: number } {
    const fromMs = this.#data.candles.times[warmUp] ?? Infinity
    const toMs = end > 0 ? this.#data.endOf(end - 1) : -Infinity
    return { first: this.#firstFrom(fromMs), last: this.#firstFrom(toMs + 1) }
  }

  atMs(run: number): number {
    return this.#deliveries.times[this.#runs[run]!]!
  }

  eventOf(run: number): SeriesEvent {
    const { data, ...sender } = this.#deliveries.requestOf(this.#runs[run]!)
    const startMs = this.atMs(run)
    const price = this.#deliveries.usesPrice ? this.#data.priceAt(startMs) : null
    return { startMs, data, price, sender }
  }

  viewOf(run: number): View {
    const [data, atMs] = [this.#data, this.atMs(run)]
    const price = data.priceAt(atMs)
    return { atMs, ended: data.endAt(atMs) - 1, candle: data.firstFrom(atMs + 1) - 1, price }
  }

  candlesBefore(run: number): number {
    return this.#data.endAt(this.atMs(run))
  }

  reachOf(run: number): Reach {
    return { candles: this.candlesBefore(run), openedMs: this.atMs(run) }
  }

  #firstFrom(ms: number): number {
    let [low, high] = [0, this.#runs.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.atMs(middle) < ms) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** The numbers of the deliveries that have a run. */
export function runnable(
  data: MarketTimes,
  { times, usesPrice }: Pick<PastDeliveries, 'times' | 'usesPrice'>,
): Uint32Array {
  const all = Uint32Array.from(times, (_, index) => index)
  return usesPrice ? all.filter((index) => data.isPricedAt(times[index]!)) : all
}
