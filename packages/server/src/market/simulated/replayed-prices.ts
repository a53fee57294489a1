import type { ReplayClock } from '../../config.ts'
import type { CandleClock, CandleSource, CandleWindow } from '../candles/candle-source.ts'
import { type MarketVenue, NoSuchMarket, type PriceSource, type QuoteListener } from '../price-source.ts'
import type { MarketRules } from '../rules.ts'
import type { Candles } from './candle-file.ts'
import { EverySecond } from './every-second.ts'
import { pairSymbol, parsePair } from './pair.ts'
import { replayedCandles, replayedIntervals } from './replayed-candles.ts'
import { type ReplayedMoment, replayedAt, spanOf } from './replayed-price.ts'
import { simulatedRules } from './rules.ts'
import { clockOfSeconds, simulatedMarkets } from './simulated-candles.ts'

type Watched = {
  listener: QuoteListener
  /** The last price that the listener received. */
  price: number | undefined
  hasEnded: boolean
}

export type ReplayOptions = {
  candles: Candles
  /** The speed factor: 60 plays an hour in a minute. */
  speed: number
  /** Default: the time that passes. */
  clock?: ReplayClock
}

const passingTime: ReplayClock = { elapsedMs: () => performance.now(), onMove: () => {} }

const endReason = 'The candle file has ended. Restart the service to replay it.'

/**
 * Plays candles of the past from now on. Once a second, every symbol of every venue gets the price that the file has at
 * that time.
 */
export class ReplayedPrices implements PriceSource, CandleSource {
  readonly kind = 'replay'
  #candles: Candles
  #speed: number
  #watched: EverySecond<Watched>
  #clock: CandleClock

  /** The replay begins at once, even if no symbol is watched. */
  constructor({ candles, speed, clock = passingTime }: ReplayOptions) {
    this.#candles = candles
    this.#speed = speed
    const startedMs = clock.elapsedMs()
    const secondMs = () => Math.floor((clock.elapsedMs() - startedMs) / 1000) * 1000
    this.#clock = clockOfSeconds(() => this.#marketMs(secondMs()))
    this.#watched = new EverySecond(
      () => clock.elapsedMs() - startedMs,
      (watched, secondMs) => update(watched, this.#momentAt(secondMs)),
    )
    clock.onMove(() => this.#watched.callNow())
  }

  /** Not the name of the venue, so that nobody mistakes these prices for real ones. */
  nameOf(_venue: MarketVenue): string {
    return 'replay'
  }

  /** Accepts any name: there is one file, and it does not name a symbol. */
  async resolve(_venue: MarketVenue, spelling: string): Promise<string> {
    const pair = parsePair(spelling)
    if (pair !== undefined) return pairSymbol(pair)
    const name = spelling.trim().toUpperCase()
    if (name === '') throw new NoSuchMarket('The symbol is empty. A replay has a price for every other name.')
    return name
  }

  async rules(venue: MarketVenue, symbol: string): Promise<MarketRules> {
    return simulatedRules(venue, symbol)
  }

  watch(_venue: MarketVenue, _symbol: string, listener: QuoteListener): () => void {
    return this.#watched.add({ listener, price: undefined, hasEnded: false })
  }

  clockOf(): CandleClock {
    return this.#clock
  }

  isOpen(): boolean {
    return true
  }

  async intervals() {
    return { names: replayedIntervals(this.#candles), kept: Number.POSITIVE_INFINITY }
  }

  /** The usual pairs. Every other name means the same file. */
  async markets() {
    return simulatedMarkets
  }

  async candles(_venue: MarketVenue, _symbol: string, window: CandleWindow) {
    return replayedCandles(this.#candles, window)
  }

  async funding(): Promise<never> {
    throw new NoSuchMarket('A candle file has no funding rates.')
  }

  async close(): Promise<void> {
    this.#watched.close()
  }

  #momentAt(secondMs: number): ReplayedMoment {
    return replayedAt(this.#candles, this.#marketMs(secondMs))
  }

  #marketMs(secondMs: number): number {
    return spanOf(this.#candles).from + secondMs * this.#speed
  }
}

function update(watched: Watched, moment: ReplayedMoment): void {
  const { listener } = watched
  if (moment.state === 'ended') {
    if (!watched.hasEnded) listener.onTrouble({ reason: endReason, scope: 'symbol' })
    watched.hasEnded = true
    return
  }
  const { state, price } = moment
  const quote = { price, at: Date.now() }
  // While the market is closed, a price is an update only for a listener that does not have it yet.
  const isUpdate = state === 'trading' || price !== watched.price
  watched.price = price
  if (isUpdate) listener.onUpdate(quote)
  else listener.onConfirmation(quote)
}
