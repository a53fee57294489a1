import type { CcxtAccount, CcxtOrder, CcxtTrade } from '../../../market/live/ccxt-trading.ts'

/** How to find an order: its client order id and amount in the exchange's form, and ccxt's symbol. */
export type OrderQuery = { clientOrderId: string; symbol: string; amount: string }

/** How an exchange accepts and reports orders, as seen through ccxt. */
export type Dialect = {
  /** Converts a client order id to a form that the exchange accepts. The same id always gives the same result. */
  clientOrderId(id: string): string
  /**
   * The currency of the size of a spot market buy. `limit`: the exchange wants an amount in quote currency, so the bot
   * sends a limit order in base currency instead, with the time in force IOC (immediate or cancel).
   */
  spotBuys: 'base' | 'limit'
  /** Market orders need a price, from which ccxt calculates the worst acceptable price. */
  needsPrice?: true
  /** Returns the order, or `undefined` if the exchange says that there is none. Throws the errors of ccxt. */
  find(account: CcxtAccount, query: OrderQuery): Promise<CcxtOrder | undefined>
  /** Returns all trades of an order. */
  trades(account: CcxtAccount, order: CcxtOrder & { id: string }, symbol: string): Promise<CcxtTrade[]>
  /** Answers that certainly refuse the order, although ccxt reports them as general errors. */
  refusals?: RegExp
  /** Answers after which the order may have been placed, whatever error ccxt reports. */
  unsure?: RegExp
}
