import type { CurrentPrice } from '@tickwright/sandbox'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Market, PriceAnswer } from './market.ts'
import type { MarketVenue, Quote, Trouble } from './price-source.ts'

/** A run waits this long for its price: on a bad day, the service must first load the markets of the exchange. */
const patienceMs = 5_000

/** An action waits at most this long for a price that is not known yet. */
const actionPatienceMs = 50

/** The settings of a strategy that name its price. */
export type PriceSettings = { exchangeId: number | null; priceSymbol: string | null }

/** Learns whether strategies get their prices. */
export type PriceLog = {
  missed(settings: PriceSettings, reason: string): void
  arrived(settings: PriceSettings): void
}

/** The prices of strategies: `$.Price`, and the prices that signals record. */
export class StrategyPrices {
  #market: Pick<Market, 'price' | 'latest' | 'nameOf' | 'noteUse'>
  #catalogue: Pick<Catalogue, 'find' | 'named'>
  #log: PriceLog | undefined

  constructor(
    market: Pick<Market, 'price' | 'latest' | 'nameOf' | 'noteUse'>,
    catalogue: Pick<Catalogue, 'find' | 'named'>,
    log?: PriceLog,
  ) {
    this.#market = market
    this.#catalogue = catalogue
    this.#log = log
  }

  /** The current price, or why there is none, as a sentence for the owner of the strategy. */
  async current(settings: PriceSettings): Promise<CurrentPrice | { reason: string }> {
    const answer = await this.#ask(settings)
    if ('quote' in answer) {
      this.#log?.arrived(settings)
      return this.show(settings, answer.quote.price)
    }
    // The source has already logged the outage of a whole venue.
    if (answer.scope === 'symbol') this.#log?.missed(settings, answer.reason)
    return { reason: answer.reason }
  }

  /**
   * The price of an action, in quote currency: that of `priceSymbol`, or else of the first signal symbol. A price that
   * is known costs no time. For one that is not known, the service asks the market, which then watches the symbol for
   * a while, and waits at most 50 ms.
   * @returns `null` without an exchange, a symbol or a price
   */
  async ofAction({
    exchangeId,
    priceSymbol,
    symbols,
  }: PriceSettings & { symbols: readonly string[] }): Promise<number | null> {
    const symbol = priceSymbol?.trim() || symbols[0]
    if (exchangeId === null || symbol === undefined) return null
    const venue = this.#catalogue.find(exchangeId)
    if (venue === undefined || !venue.enabled) return null
    const answer = await this.#given(venue, symbol, actionPatienceMs)
    return 'quote' in answer ? answer.quote.price : null
  }

  /** A price of the strategy's symbol as `$.Price` shows it. */
  show({ exchangeId, priceSymbol }: PriceSettings, price: number): CurrentPrice {
    const venue = exchangeId === null ? undefined : this.#catalogue.find(exchangeId)
    return {
      symbol: priceSymbol ?? '',
      price,
      exchange: venue === undefined ? '' : this.#market.nameOf(venue),
      service: venue?.service ?? '',
    }
  }

  /** The current price in quote currency, or `null` if there is none. */
  async named({ exchange, service, pair }: { exchange: string; service: string; pair: string }) {
    const venue = this.#catalogue.named(exchange, service)
    if (venue === undefined || !venue.enabled) return null
    const answer = await this.#given(venue, pair)
    return 'quote' in answer ? answer.quote.price : null
  }

  /** The price in quote currency if it is ready, without waiting; otherwise `null`. */
  latest({ exchangeId, priceSymbol }: PriceSettings): number | null {
    if (exchangeId === null || priceSymbol === null) return null
    const venue = this.#catalogue.find(exchangeId)
    if (venue === undefined || !venue.enabled) return null
    return this.#market.latest(venue, priceSymbol)?.price ?? null
  }

  async #ask({ exchangeId, priceSymbol }: PriceSettings): Promise<{ quote: Quote } | Trouble> {
    if (exchangeId === null || priceSymbol === null) {
      return trouble('The strategy uses a price (use_price), but its exchange_id or price_symbol is missing.')
    }
    const venue = this.#catalogue.find(exchangeId)
    if (venue === undefined) return trouble('The exchange of the strategy is not in the catalogue.')
    if (!venue.enabled) return trouble(`${venue.name} is not enabled on this installation.`)
    return this.#given(venue, priceSymbol)
  }

  /** The price, which a strategy has seen from now on. */
  async #given(venue: MarketVenue, symbol: string, patience = patienceMs): Promise<PriceAnswer> {
    const answer = await this.#market.price(venue, symbol, patience)
    if ('quote' in answer) this.#market.noteUse(venue, symbol)
    return answer
  }
}

function trouble(reason: string): Trouble {
  return { reason, scope: 'symbol' }
}
