import { type Decimal, zero } from '../../base/decimals.ts'
import { Calendar, type Realised } from './calendar.ts'
import { type OutcomeFigures, Outcomes } from './outcomes.ts'
import { netOf, type Share, type Trade } from './trades.ts'

/** From `since` to `until`, both included, in Unix milliseconds. */
export type Period = { since: number; until: number }

/** What one or many bots realised within a period, in one currency. */
export type Tallied = {
  /** Before fees and funding. */
  gross: Decimal
  realised: Realised
  days: [day: string, Realised][]
  months: [month: string, Realised][]
  /** The trades that ended within the period. */
  closed: OutcomeFigures
  /** How many trades were open at the end of the period. */
  open: number
  /** Fees of the closed trades that the books could not count, by asset. */
  uncounted: ReadonlyMap<string, Decimal>
}

/** Sums up fills, payments and trades. Fills count on the day on which they were executed, trades when they end. */
export class Tally {
  #period: Period
  #calendar = new Calendar()
  #outcomes = new Outcomes()
  #open = 0
  #uncounted = new Map<string, Decimal>()

  constructor(period: Period) {
    this.#period = period
  }

  /** @param at when the fill was executed */
  share(at: number, share: Share): void {
    if (this.#isWithin(at)) this.#calendar.add(at, { profit: netOf(share), fees: share.fees })
  }

  /** @param at any time of the day of the payments, which are all within the period */
  payments(at: number, value: Decimal): void {
    this.#calendar.add(at, { profit: value, funding: value })
  }

  /** @param realised its profit after all costs */
  trade({ openedAt, closedAt, closedBy, uncounted }: Trade, realised: Decimal): void {
    const { until } = this.#period
    if (openedAt <= until && (closedAt === null || closedAt > until)) this.#open++
    if (closedAt === null || closedBy === null || !this.#isWithin(closedAt)) return
    this.#outcomes.add({ net: realised, openMs: Math.max(0, closedAt - openedAt), order: closedBy })
    for (const [asset, fee] of uncounted) {
      this.#uncounted.set(asset, (this.#uncounted.get(asset) ?? zero).plus(fee))
    }
  }

  result(): Tallied {
    const realised = this.#calendar.total()
    const { profit, fees, funding } = realised
    return {
      gross: profit.plus(fees).minus(funding),
      realised,
      days: this.#calendar.days(),
      months: this.#calendar.months(),
      closed: this.#outcomes.figures(),
      open: this.#open,
      uncounted: this.#uncounted,
    }
  }

  #isWithin(at: number): boolean {
    return at >= this.#period.since && at <= this.#period.until
  }
}
