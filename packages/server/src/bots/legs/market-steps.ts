import { decimal, one, plain } from '../../base/decimals.ts'
import { NoSuchMarket } from '../../market/price-source.ts'
import type { LegVenue } from '../../trading/protection/leg-venue.ts'
import type { LegSteps } from '../../trading/protection/legs.ts'
import type { Venue } from '../../trading/types.ts'
import { marketOf } from './ids.ts'
import type { LegsRow } from './store.ts'

/** After this time, the exchange may keep stops in a market in which it kept none. */
const withoutMs = 600_000

/** What a node remembers about the steps of the markets in which positions are open. */
export class MarketSteps {
  #known = new Map<string, LegSteps>()
  /** Until when the exchange is not asked again about a market in which it keeps no stops, by `performance.now()`. */
  #without = new Map<string, number>()

  known(row: LegsRow): LegSteps | undefined {
    return this.#known.get(marketOf(row))
  }

  /** Whether it is time to ask the exchange about a market that is not known. */
  isDue(row: LegsRow): boolean {
    return (this.#without.get(marketOf(row)) ?? 0) < performance.now()
  }

  /** @throws {NoSuchMarket} if the exchange keeps no stops in it @throws {VenueUnreachable} */
  async of(
    { venue, legs }: { venue: Pick<Venue, 'rules'>; legs: LegVenue },
    row: LegsRow,
  ): Promise<LegSteps> {
    const known = this.known(row)
    if (known !== undefined) return known
    try {
      const { sizeStep, service, minSize: size, minNotional } = await venue.rules(row.symbol)
      const priceStep = await legs.priceStep(row.symbol)
      const { priceDigits, renewAfterMs, room = '0' } = legs
      // The exchange counts an order with a limit at its limit.
      const notional = plain(decimal(minNotional).div(one.minus(room)))
      const smallestOrder = { size, notional }
      // An order that only reduces a futures position may be as small as it is, at most exchanges.
      const least = service === 'spot' && { least: smallestOrder }
      const hasOco = (await legs.hasOco?.(row.symbol)) === true
      const steps = { sizeStep, priceStep, priceDigits, renewAfterMs, hasOco, smallestOrder, ...least }
      this.#known.set(marketOf(row), steps)
      return steps
    } catch (error) {
      if (error instanceof NoSuchMarket) this.#without.set(marketOf(row), performance.now() + withoutMs)
      throw error
    }
  }

  /** Forgets the markets in which no position is open any more. */
  keepOnly(rows: readonly LegsRow[]): void {
    const markets = new Set(rows.map(marketOf))
    for (const remembered of [this.#known, this.#without]) {
      for (const market of remembered.keys()) if (!markets.has(market)) remembered.delete(market)
    }
  }
}
