/** An exchange's rules for orders of one symbol. `sizeStep` is in base currency. */
export type MarketRules = {
  /** The venue's name for the symbol. */
  symbol: string
  service: 'spot' | 'futures'
  base: string
  quote: string
  sizeStep: string
  /** In base currency. */
  minSize: string
  /** In quote currency. */
  minNotional: string
  /** The step of the prices of orders, in quote currency; absent if the exchange does not say. */
  priceStep?: string
  /** How many significant digits a price may have, unless it is whole. Default: as many as the step allows. */
  priceDigits?: number
  /** The usual fee of a market order, as a fraction of its value; absent if the exchange does not say. */
  takerRate?: string
  /** Of futures: the highest leverage that the exchange allows; absent if the exchange does not say. */
  mostLeverage?: string
}
