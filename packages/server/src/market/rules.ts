/** What an exchange asks of orders for one of its symbols. `sizeStep` is in base currency. */
export type MarketRules = {
  /** The venue's own name of the symbol. */
  symbol: string
  service: 'spot' | 'futures'
  base: string
  quote: string
  sizeStep: string
  /** In base currency. */
  minSize: string
  /** In quote currency. */
  minNotional: string
}
