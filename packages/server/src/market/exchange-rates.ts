import type { ExchangeName } from '@tickwright/sandbox'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Market } from './market.ts'

/** What `$.getExchangeRate` asks. */
export class ExchangeRates {
  #market: Pick<Market, 'price'>
  #catalogue: Pick<Catalogue, 'withRates'>

  constructor(market: Pick<Market, 'price'>, catalogue: Pick<Catalogue, 'withRates'>) {
    this.#market = market
    this.#catalogue = catalogue
  }

  /**
   * The current rate in quote currency, or `null` where no recent one can be had: that of the spot market, or of
   * futures where there is no such spot market.
   */
  async rate(name: ExchangeName, symbol: string): Promise<number | null> {
    for (const venue of this.#catalogue.withRates(name)) {
      if (!venue.enabled) continue
      const answer = await this.#market.price(venue, symbol)
      if ('quote' in answer) return answer.quote.price
      if (!answer.isUnknown) return null
    }
    return null
  }
}
