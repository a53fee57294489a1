import { type Decimal, zero } from '../../base/decimals.ts'

/** What a day or a month realised. `profit` is after fees and with funding. */
export type Realised = { profit: Decimal; fees: Decimal; funding: Decimal }

const dayMs = 86_400_000
const nothing: Realised = { profit: zero, fees: zero, funding: zero }

/** Sums by day and by month, in UTC. A day without anything realised has no entry. */
export class Calendar {
  /** By the number of the day since 1970. */
  #days = new Map<number, Realised>()

  /** @param at Unix milliseconds */
  add(at: number, realised: Partial<Realised>): void {
    const day = Math.floor(at / dayMs)
    this.#days.set(day, sumOf(this.#days.get(day) ?? nothing, realised))
  }

  /** The earliest first. */
  days(): [day: string, Realised][] {
    return [...this.#days]
      .sort(([a], [b]) => a - b)
      .map(([day, realised]) => [new Date(day * dayMs).toISOString().slice(0, 10), realised])
  }

  months(): [month: string, Realised][] {
    const months = new Map<string, Realised>()
    for (const [day, realised] of this.days()) {
      const month = day.slice(0, 7)
      months.set(month, sumOf(months.get(month) ?? nothing, realised))
    }
    return [...months]
  }

  total(): Realised {
    return [...this.#days.values()].reduce<Realised>(sumOf, nothing)
  }
}

function sumOf(sum: Realised, { profit, fees, funding }: Partial<Realised>): Realised {
  return {
    profit: profit === undefined ? sum.profit : sum.profit.plus(profit),
    fees: fees === undefined ? sum.fees : sum.fees.plus(fees),
    funding: funding === undefined ? sum.funding : sum.funding.plus(funding),
  }
}
