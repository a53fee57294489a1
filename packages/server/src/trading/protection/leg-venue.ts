/** What a venue that keeps protective orders can do with them. One leg per call, and nothing attached to another order. */
import type { OrderRequest } from '../types.ts'

/**
 * A stop for the market: at `price`, it becomes a market order that only reduces the position. Or a target: a limit order
 * at `price` that only reduces the position.
 */
export type LegRequest = Pick<OrderRequest, 'symbol' | 'side' | 'size'> & {
  /** The id under which it is sent and found again. */
  clientId: string
  /** The exchange's own id of it, if that is known. */
  exchangeId?: string
  price: string
  isTarget?: boolean
  /** Of a stop: a target in one order with it, for the same size. `clientId`: its own id, where it has one. */
  oco?: { price: string; clientId: string }
  /** When it was last sent, in Unix milliseconds: before that, the exchange cannot know it. */
  sentAt: number
}

/**
 * `refused`: certainly not placed. `isBeyond`: because the price is beyond the level already. `busy`: certainly not
 * placed, and it may be sent again. `unknown`: possibly placed, so it must be looked up.
 */
export type LegPlacing =
  | { status: 'placed'; exchangeId: string }
  | { status: 'refused'; reason: string; isBeyond: boolean }
  | { status: 'busy'; reason: string }
  | { status: 'unknown'; reason: string }

/**
 * `open`: it rests there. `triggering`: the exchange has begun to execute it, and does not name its order yet.
 * `triggered`: it has become the order `orderId`, or was a target that executes nothing any more and has executed `size`,
 * in base currency. `isTarget`: the order is that of the target that was in one order with the stop. `filling`: a target that has executed a part and still rests. `ended`: it executes nothing any more,
 * and it never executed anything.
 */
export type FoundLeg = { exchangeId: string; reason: string | null } & (
  | { state: 'open' | 'triggering' | 'filling' | 'ended' }
  | { state: 'triggered'; orderId: string; size?: string; isTarget?: true }
)

/** `absent`: the exchange says that it has no such leg, although a request that was on its way has arrived by now. */
export type LegLookUp =
  | { status: 'found'; leg: FoundLeg }
  | { status: 'absent' }
  | { status: 'unknown'; reason: string }

/** Whatever the exchange does, only `priceStep` and `hasOco` reject. */
export type LegVenue = {
  /** Whether a resting stop locks the funds that it would sell. */
  readonly locksFunds: boolean
  /** How many significant digits a price may have, unless it is whole. Default: as many as the price step allows. */
  readonly priceDigits?: number | undefined
  /** How far beyond its price a stop may be executed, where its order has a limit, as a fraction. Default: anywhere. */
  readonly room?: string | undefined
  /** How old a stop becomes before a new one must replace it, in milliseconds. Default: any age. */
  readonly renewAfterMs?: number | undefined
  /** Whether targets can rest there. Default: they cannot. */
  readonly keepsTargets?: boolean
  /** The id in the exchange's form. The same id always gives the same result. */
  clientId(id: string): string
  /** @throws {NoSuchMarket} @throws {VenueUnreachable} */
  priceStep(symbol: string): Promise<string>
  /** Whether a stop there can have a target in one order with it. Default: it cannot. @throws as `priceStep` */
  hasOco?(symbol: string): Promise<boolean>
  /** Whether the account, as it is set up now, can have such a target. Default: it can. Without an answer, it can. */
  canHave?(target: LegRequest): Promise<boolean>
  /** Sends it once. */
  place(leg: LegRequest): Promise<LegPlacing>
  lookUp(leg: LegRequest): Promise<LegLookUp>
  /** Asks the exchange to cancel it. Only `lookUp` says whether that worked. */
  cancel(leg: LegRequest): Promise<void>
}
