import type { CurrentPrice } from '@tickwright/sandbox'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Market } from './market.ts'
import type { Quote, Trouble } from './price-source.ts'

/** A run waits this long for its price: that of an exchange to be asked for its markets first, on a bad day. */
const patienceMs = 5_000

/** Whose price a strategy looks at. */
export type PriceSettings = { exchangeId: number | null; priceSymbol: string | null }

/** Learns which prices strategies get, and which they ask for in vain. */
export type PriceLog = {
  missed(settings: PriceSettings, reason: string): void
  arrived(settings: PriceSettings): void
}

/** The prices of strategies: `$.Price`, and what a signal was sent at. */
export class StrategyPrices {
  #market: Pick<Market, 'price' | 'latest' | 'nameOf'>
  #catalogue: Pick<Catalogue, 'find' | 'named'>
  #log: PriceLog | undefined

  constructor(
    market: Pick<Market, 'price' | 'latest' | 'nameOf'>,
    catalogue: Pick<Catalogue, 'find' | 'named'>,
    log?: PriceLog,
  ) {
    this.#market = market
    this.#catalogue = catalogue
    this.#log = log
  }

  /** The current price; or why there is none, for the owner of the strategy. */
  async current(settings: PriceSettings): Promise<CurrentPrice | { reason: string }> {
    const answer = await this.#ask(settings)
    if ('quote' in answer) {
      this.#log?.arrived(settings)
      return this.show(settings, answer.quote.price)
    }
    // An outage of a whole venue is in the log already.
    if (answer.scope === 'symbol') this.#log?.missed(settings, answer.reason)
    return { reason: answer.reason }
  }

  /** How a strategy is shown a price of its symbol. */
  show({ exchangeId, priceSymbol }: PriceSettings, price: number): CurrentPrice {
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
  latest({ exchangeId, priceSymbol }: PriceSettings): number | null {
    if (exchangeId === null || priceSymbol === null) return null
    const venue = this.#catalogue.find(exchangeId)
    if (venue === undefined || !venue.enabled) return null
    return this.#market.latest(venue, priceSymbol)?.price ?? null
  }

  async #ask({ exchangeId, priceSymbol }: PriceSettings): Promise<{ quote: Quote } | Trouble> {
    if (exchangeId === null || priceSymbol === null) {
      return trouble('The strategy has use_price on, but exchange_id or price_symbol is missing.')
    }
    const venue = this.#catalogue.find(exchangeId)
    if (venue === undefined) return trouble('The exchange of the strategy is not in the catalogue.')
    if (!venue.enabled) return trouble(`${venue.name} is not enabled on this installation.`)
    return this.#market.price(venue, priceSymbol, patienceMs)
  }
}

function trouble(reason: string): Trouble {
  return { reason, scope: 'symbol' }
}
