import type { AccountReader } from '../trading/account.ts'
import type { LegVenue } from '../trading/protection/leg-venue.ts'
import type { Venue } from '../trading/types.ts'

/** The place where a bot trades, with the rights of the bot. The caller that opens it closes it. */
export type ClosableVenue = Venue & {
  /** Why the venue accepts no new orders of this bot. It still looks up earlier ones. */
  closedReason?: string | null
  /** Reads the account of a live bot. */
  account?: AccountReader
  /** Keeps stops at the exchange, where it can. */
  legs?: LegVenue | undefined
  close?(): Promise<void>
}
