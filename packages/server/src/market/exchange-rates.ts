import type { ExchangeName } from '@tickwright/sandbox'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Market } from './market.ts'

/** The rates of `$.getExchangeRate`. */
export class ExchangeRates {
  #market: Pick<Market, 'price' | 'noteUse'>
  #catalogue: Pick<Catalogue, 'withRates'>

  constructor(market: Pick<Market, 'price' | 'noteUse'>, catalogue: Pick<Catalogue, 'withRates'>) {
    this.#market = market
    this.#catalogue = catalogue
  }

  /**
   * The current rate in quote currency, or `null` if there is no recent one. It is the price on the spot market, or on
   * futures if spot has no such symbol.
   */
  async rate(name: ExchangeName, symbol: string): Promise<number | null> {
    for (const venue of this.#catalogue.withRates(name)) {
      if (!venue.enabled) continue
      const answer = await this.#market.price(venue, symbol)
      if ('quote' in answer) {
        this.#market.noteUse(venue, symbol)
        return answer.quote.price
      }
      if (!answer.isUnknown) return null
    }
    return null
  }
}
