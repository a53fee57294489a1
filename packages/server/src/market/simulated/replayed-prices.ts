import { type MarketVenue, NoSuchMarket, type PriceSource, type QuoteListener } from '../price-source.ts'
import type { MarketRules } from '../rules.ts'
import type { Candles } from './candle-file.ts'
import { EverySecond } from './every-second.ts'
import { pairSymbol, parsePair } from './pair.ts'
import { type ReplayedMoment, replayedAt, spanOf } from './replayed-price.ts'
import { simulatedRules } from './rules.ts'

type Watched = {
  listener: QuoteListener
  /** The price that it was told last. */
  price: number | undefined
  knowsOfEnd: boolean
}

export type ReplayOptions = {
  candles: Candles
  /** How many times as fast as they once came: 60 plays an hour in a minute. */
  speed: number
  /** Milliseconds since some moment of the past, on a clock that nobody moves. */
  elapsedMs?: () => number
}

const endReason = 'The candle file has ended: start the service again to replay it.'

/**
 * Candles of the past, played from now on: every symbol of every venue has the price that the file has at that
 * moment, once a second.
 */
export class ReplayedPrices implements PriceSource {
  readonly kind = 'replay'
  #candles: Candles
  #speed: number
  #watched: EverySecond<Watched>

  /** The replay begins at once, whoever watches. */
  constructor({ candles, speed, elapsedMs = () => performance.now() }: ReplayOptions) {
    this.#candles = candles
    this.#speed = speed
    const startedMs = elapsedMs()
    this.#watched = new EverySecond(
      () => elapsedMs() - startedMs,
      (watched, secondMs) => tell(watched, this.#momentAt(secondMs)),
    )
  }

  /** Never that of the venue, so that nobody takes these prices for its own. */
  nameOf(_venue: MarketVenue): string {
    return 'replay'
  }

  /** Any name does: there is one file, and it does not say what it is about. */
  async resolve(_venue: MarketVenue, spelling: string): Promise<string> {
    const pair = parsePair(spelling)
    if (pair !== undefined) return pairSymbol(pair)
    const name = spelling.trim().toUpperCase()
    if (name === '') throw new NoSuchMarket('The symbol is empty. A replay has a price for any other name.')
    return name
  }

  async rules(venue: MarketVenue, symbol: string): Promise<MarketRules> {
    return simulatedRules(venue, symbol)
  }

  watch(_venue: MarketVenue, _symbol: string, listener: QuoteListener): () => void {
    return this.#watched.add({ listener, price: undefined, knowsOfEnd: false })
  }

  async close(): Promise<void> {
    this.#watched.close()
  }

  #momentAt(secondMs: number): ReplayedMoment {
    return replayedAt(this.#candles, spanOf(this.#candles).from + secondMs * this.#speed)
  }
}

function tell(watched: Watched, moment: ReplayedMoment): void {
  const { listener } = watched
  if (moment.state === 'ended') {
    if (!watched.knowsOfEnd) listener.onTrouble({ reason: endReason, scope: 'symbol' })
    watched.knowsOfEnd = true
    return
  }
  const { state, price } = moment
  const quote = { price, at: Date.now() }
  // While nothing is traded, a price is news only to who does not know it.
  const isNews = state === 'trading' || price !== watched.price
  watched.price = price
  if (isNews) listener.onUpdate(quote)
  else listener.onConfirmation(quote)
}
