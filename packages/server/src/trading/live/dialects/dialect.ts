import { decimal } from '../../../base/decimals.ts'
import type {
  CcxtAccount,
  CcxtFunding,
  CcxtOrder,
  CcxtPosition,
  CcxtTrade,
  CcxtTradedMarket,
} from '../../../market/live/ccxt-trading.ts'
import type { MarketRules } from '../../../market/rules.ts'
import type { AccountEquity, AccountFacts, TradeKind } from '../../account.ts'
import type { FoundLeg, LegRequest } from '../../protection/leg-venue.ts'
import type { BestPrices, LimitOf, MarginMode, MarginSetting, OrderRequest } from '../../types.ts'

/** The account cannot trade as it is set up now. The message tells its owner what to change. */
export class UnfitAccount extends Error {}

/** A stop was not sent, because the price is beyond it already. */
export class BeyondLevel extends Error {
  constructor() {
    super('The price is beyond the stop already.')
  }
}

/** For exchanges that would wait for the price to come back. @throws {BeyondLevel} if the last price is beyond the stop */
export function requireAhead({ side, price }: LegRequest, lastPrice: string): void {
  const last = decimal(lastPrice, 'last price')
  if (side === 'sell' ? last.lte(price) : last.gte(price)) throw new BeyondLevel()
}

/** How to find an order: its client order id and amount in the exchange's form, and ccxt's symbol. */
export type OrderQuery = {
  clientOrderId: string
  symbol: string
  amount: string
  /**
   * Of an order with a limit. `isKnown`: it rests there, and is looked at often, so what is said about it may be some seconds
   * old. `since`: when it was planned, in Unix milliseconds, if that is known.
   */
  rests?: { isKnown: boolean; since: number | undefined }
}

/** Where a margin mode belongs: to a symbol, to the whole account, or to each order, and so to the position. */
export type ModeOf = 'symbol' | 'account' | 'order'

/**
 * How an exchange sets the margin of a symbol. Each request is one of the exchange's own, with exactly the fields that
 * are written down here. All of them throw the errors of ccxt, and {@link UnfitAccount} for what the exchange does not have.
 */
export type MarginDialect = {
  /** It may depend on the kind of account. */
  modeOf: ModeOf | ((account: CcxtAccount) => Promise<ModeOf>)
  /** @param opening some exchanges have another setting for each side or margin mode */
  read(account: CcxtAccount, market: CcxtTradedMarket, opening: OrderRequest): Promise<MarginSetting>
  setLeverage(
    account: CcxtAccount,
    market: CcxtTradedMarket,
    opening: OrderRequest,
    leverage: number,
  ): Promise<void>
  /** Of a symbol. */
  setMode?(
    account: CcxtAccount,
    market: CcxtTradedMarket,
    mode: MarginMode,
    opening: OrderRequest,
  ): Promise<void>
}

/**
 * How an exchange keeps stops. Each request is one of the exchange's own, with exactly the fields that are written down
 * here: ccxt's unified parameters for stops become plain market orders at some exchanges.
 */
export type LegDialect = {
  /** Whether these requests are for such a market. */
  supports(market: CcxtTradedMarket): boolean
  /** Whether they are for such an account. Default: for all. @throws the errors of ccxt */
  supportsAccount?(account: CcxtAccount): Promise<boolean>
  locksFunds: boolean
  /** How old a request to place one may be when it arrives, in milliseconds, if that is not the usual limit. */
  requestLifeMs?: number
  /** How far beyond its price a stop may be executed, where its order has a limit, as a fraction. Default: anywhere. */
  room?: string
  /** How old a stop becomes before a new one replaces it, because the exchange ends it later. Default: any age. */
  renewAfterMs?: number
  /** How many significant digits a price may have, unless it is whole. Default: as many as the price step allows. */
  priceDigits?: number
  /** Default: that of ccxt. */
  priceStep?(market: CcxtTradedMarket): string
  clientId(id: string): string
  /** @returns the id that the exchange gave it. @throws {BeyondLevel} @throws the errors of ccxt */
  place(account: CcxtAccount, market: CcxtTradedMarket, leg: LegRequest, amount: string): Promise<string>
  /** @returns `undefined` if it is another order. @throws the errors of ccxt, `OrderNotFound` if there is none */
  find(account: CcxtAccount, market: CcxtTradedMarket, leg: LegRequest): Promise<FoundLeg | undefined>
  /** @throws the errors of ccxt */
  cancel(account: CcxtAccount, leg: LegRequest, market: CcxtTradedMarket): Promise<void>
  /** Default: it keeps none, and the service watches them. */
  targets?: TargetDialect
  /** Whether a stop can have a target in one order with it, which becomes a market order, too. Default: it cannot. */
  hasOco?(market: CcxtTradedMarket): boolean
  /** Refusals which say that the price is beyond the level already. */
  isBeyond: RegExp
}

/** How an exchange keeps targets: by limit orders that only reduce a position, with an id that the service has chosen. */
export type TargetDialect = Pick<LegDialect, 'place' | 'find' | 'cancel'> & {
  /** Default: any account is. @throws {UnfitAccount} if the account, as it is set up now, can have none @throws the errors of ccxt */
  requireFit?(account: CcxtAccount, market: CcxtTradedMarket, leg: LegRequest): Promise<unknown>
}

/** An opening that rests at its limit. */
export type Entry = OrderRequest & { limit: LimitOf }

/**
 * How an exchange takes openings that rest: limit orders with an id that the service has chosen, so that they are found
 * and cancelled as all others are. Each request is one of the exchange's own, with exactly the fields that are written
 * down here.
 */
export type EntryDialect = {
  /** Whether these requests are for such a market. */
  supports(market: CcxtTradedMarket): boolean
  /**
   * @param query with the client order id and the amount in the exchange's form
   * @returns the id that the exchange gave it. @throws {UnfitAccount} @throws the errors of ccxt
   */
  place(account: CcxtAccount, market: CcxtTradedMarket, order: Entry, query: OrderQuery): Promise<string>
  /** How old a request to place one may be when it arrives, in milliseconds, if that is not the usual limit. */
  requestLifeMs?: number
  /** The prices that it takes, where ccxt does not know them. */
  steps?(market: CcxtTradedMarket): Pick<MarketRules, 'priceStep' | 'priceDigits'>
  /** Refusals which say that a post-only order would be executed at once. Default: it is accepted, and ended. */
  wouldTake?: RegExp
  /** Whether a post-only order that has executed nothing was ended for this reason. Default: it is refused then. */
  hasTaken?(order: CcxtOrder): boolean
  /** @throws the errors of ccxt */
  bestPrices(account: CcxtAccount, market: CcxtTradedMarket): Promise<BestPrices>
}

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
  /**
   * Returns the order that the exchange made of a stop, by the exchange's id of it. Default: ccxt's `fetchOrder`.
   * @param since when the stop was placed, in Unix milliseconds
   * @throws the errors of ccxt
   */
  findMade?(
    account: CcxtAccount,
    query: OrderQuery,
    id: string,
    since: number | undefined,
  ): Promise<CcxtOrder | undefined>
  /** How it keeps stops in its markets. Default: it keeps none, and the service watches them. */
  legs?: Partial<Record<'spot' | 'futures', LegDialect>>
  /** How it takes openings that rest. Default: it takes none from the service. */
  entries?: Partial<Record<'spot' | 'futures', EntryDialect>>
  /** Returns all trades of an order. */
  trades(account: CcxtAccount, order: CcxtOrder & { id: string }, symbol: string): Promise<CcxtTrade[]>
  /** Answers that certainly refuse the order, although ccxt reports them as general errors. */
  refusals?: RegExp
  /** Refusals which say that the clocks differ. The service compares them again and sends the order again. */
  clockRefusals?: RegExp
  /** Refusals because of a rate limit that ccxt does not report as such. The service sends the order again later. */
  rateLimits?: RegExp
  /** Answers after which the order may have been placed, whatever error ccxt reports. */
  unsure?: RegExp
  /**
   * Changes ccxt's settings of an account that has just been created, such as what ccxt adds to requests for itself.
   */
  adjust?(account: CcxtAccount): void
  /**
   * More parameters of an order, such as the account's margin mode.
   * @throws {UnfitAccount} @throws the errors of ccxt
   */
  orderParams?(account: CcxtAccount, market: CcxtTradedMarket, order: OrderRequest): Promise<object>
  /** How it sets leverage and margin mode. Default: the service sets neither there. */
  margin?: MarginDialect
  /**
   * Whether a refused order may succeed if it is sent again, because the account's modes have changed since they were
   * last read. Then the next order reads them again.
   */
  isOutdated?(account: CcxtAccount, error: unknown): boolean
  /**
   * All trades of the account in a symbol since a time, in any order. It may also return earlier ones. Default: one page
   * of ccxt's `fetchMyTrades`.
   * @throws the errors of ccxt, or an error if there are too many trades to read
   */
  tradesSince?(account: CcxtAccount, symbol: string, since: number): Promise<CcxtTrade[]>
  /** Default: every trade is of an order. */
  kindOf?(trade: CcxtTrade): TradeKind
  /** All open futures positions. Default: ccxt's `fetchPositions`. */
  positions?(account: CcxtAccount): Promise<CcxtPosition[]>
  /** The funding payments of a symbol since a time. Default: ccxt's `fetchFundingHistory`. */
  funding?(account: CcxtAccount, symbol: string, since: number): Promise<CcxtFunding[]>
  /** Default: unknown. */
  equity?(account: CcxtAccount): Promise<AccountEquity | null>
  /**
   * What the exchange says about the account and its key. Default: nothing is known.
   * @throws the errors of ccxt
   */
  facts?(account: CcxtAccount): Promise<AccountFacts>
  /**
   * Switches an account that has just been created, and has sent nothing yet, to the exchange's demo or testnet, where
   * the exchange has one.
   */
  useDemo?(account: CcxtAccount): void
}
