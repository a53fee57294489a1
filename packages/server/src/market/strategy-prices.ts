import type { CurrentPrice } from '@tickwright/sandbox'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Market } from './market.ts'

/** A run waits this long for its price: that of an exchange to be asked for its markets first, on a bad day. */
const patienceMs = 5_000

/** Whose price a strategy looks at. */
export type PriceWish = { exchangeId: number | null; priceSymbol: string | null }

/** The prices of strategies: `$.Price`, and what a signal was sent at. */
export class StrategyPrices {
  #market: Pick<Market, 'price' | 'latest' | 'nameOf'>
  #catalogue: Pick<Catalogue, 'find' | 'named'>

  constructor(
    market: Pick<Market, 'price' | 'latest' | 'nameOf'>,
    catalogue: Pick<Catalogue, 'find' | 'named'>,
  ) {
    this.#market = market
    this.#catalogue = catalogue
  }

  /** The current price; or why there is none, for the owner of the strategy. */
  async current({ exchangeId, priceSymbol }: PriceWish): Promise<CurrentPrice | { reason: string }> {
    if (exchangeId === null || priceSymbol === null) {
      return { reason: 'The strategy has use_price on, but exchange_id or price_symbol is missing.' }
    }
    const venue = this.#catalogue.find(exchangeId)
    if (venue === undefined) return { reason: 'The exchange of the strategy is not in the catalogue.' }
    if (!venue.enabled) return { reason: `${venue.name} is not enabled on this installation.` }
    const answer = await this.#market.price(venue, priceSymbol, patienceMs)
    if ('reason' in answer) return answer
    return this.show({ exchangeId, priceSymbol }, answer.quote.price)
  }

  /** How a strategy is shown a price of its symbol. */
  show({ exchangeId, priceSymbol }: PriceWish, price: number): CurrentPrice {
    const venue = exchangeId === null ? undefined : this.#catalogue.find(exchangeId)
    return {
      symbol: priceSymbol ?? '',
      price,
      exchange: venue === undefined ? '' : this.#market.nameOf(venue),
      service: venue?.service ?? '',
    }
  }

  /** The current price in quote currency, or `null` where none is to be had. */
  async named({ exchange, service, pair }: { exchange: string; service: string; pair: string }) {
    const venue = this.#catalogue.named(exchange, service)
    if (venue === undefined || !venue.enabled) return null
    const answer = await this.#market.price(venue, pair, patienceMs)
    return 'quote' in answer ? answer.quote.price : null
  }

  /** The price in quote currency if it is at hand, without waiting. */
  latest({ exchangeId, priceSymbol }: PriceWish): number | null {
    if (exchangeId === null || priceSymbol === null) return null
    const venue = this.#catalogue.find(exchangeId)
    if (venue === undefined || !venue.enabled) return null
    return this.#market.latest(venue, priceSymbol)?.price ?? null
  }
}
