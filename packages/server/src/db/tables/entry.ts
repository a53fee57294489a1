/** What the tables of bots, signals and orders say about how a position is entered. */

/** `limit`: at most at a price. `post_only`: the same, and never against an offer that is there already. */
export type RestingType = 'limit' | 'post_only'
export type OrderType = 'market' | RestingType

/** An opening that rests at a price, as requests and responses show it. */
export type Entry = {
  type: RestingType
  /** How far from the current price, on the better side: `0.5%`; `null`: at the current price. */
  offset: string | null
  /** How long it rests. */
  timeout_seconds: number
  /** What happens to the rest of it then. `chase`: it is priced again, at the current price. */
  on_timeout: 'cancel' | 'market' | 'chase'
  /** How often it is priced again at most; `null` without `chase`. */
  chases: number | null
  /** How much worse than its first limit a later price may be: `1%`; `null`: any. */
  max_slippage: string | null
}

/** What a signal says about its entry. What it does not say, the bot decides. `price`: the limit, in quote currency. */
export type SignalEntry = Partial<Omit<Entry, 'type'>> & { type: OrderType; price?: string }
