import { type Decimal, decimal, isNegative, isZero, zero } from '../../base/decimals.ts'

/** A closed trade: its profit after all costs, and how long it was open. `order` tells which of two closed first. */
export type Outcome = { net: Decimal; openMs: number; order: number }

/** Decimals are exact, except averages and percentages, which are divisions. `null`: nothing to divide by. */
export type OutcomeFigures = {
  count: number
  won: number
  lost: number
  even: number
  winRatePercent: Decimal | null
  /** What was won for each unit that was lost. */
  profitFactor: Decimal | null
  expectancy: Decimal | null
  averageWin: Decimal | null
  averageLoss: Decimal | null
  largestWin: Decimal | null
  largestLoss: Decimal | null
  longestLosingStreak: number
  averageOpenMs: number | null
}

const firstRoom = 64

/** Sums up closed trades. Of each trade it keeps a number, by which the trades can be put in the order of their ends. */
export class Outcomes {
  #won = { count: 0, sum: zero, largest: zero }
  #lost = { count: 0, sum: zero, largest: zero }
  #count = 0
  #openMs = 0
  /** Twice the order of each trade, and one more if it lost. */
  #ends = new Float64Array(firstRoom)

  add({ net, openMs, order }: Outcome): void {
    const isLoss = isNegative(net)
    if (isLoss) count(this.#lost, net)
    else if (!isZero(net)) count(this.#won, net)
    if (this.#count === this.#ends.length) this.#grow()
    this.#ends[this.#count] = 2 * order + (isLoss ? 1 : 0)
    this.#count++
    this.#openMs += openMs
  }

  figures(): OutcomeFigures {
    const [won, lost, all] = [this.#won, this.#lost, this.#count]
    return {
      count: all,
      won: won.count,
      lost: lost.count,
      even: all - won.count - lost.count,
      winRatePercent: share(decimal(String(won.count * 100)), all),
      profitFactor: lost.count === 0 ? null : won.sum.div(lost.sum.abs()),
      expectancy: share(won.sum.plus(lost.sum), all),
      averageWin: share(won.sum, won.count),
      averageLoss: share(lost.sum, lost.count),
      largestWin: won.count === 0 ? null : won.largest,
      largestLoss: lost.count === 0 ? null : lost.largest,
      longestLosingStreak: this.#longestStreak(),
      averageOpenMs: all === 0 ? null : Math.round(this.#openMs / all),
    }
  }

  #longestStreak(): number {
    // Without a function that compares, sorting a hundred thousand numbers takes a few milliseconds.
    const ends = this.#ends.slice(0, this.#count).sort()
    let [streak, longest] = [0, 0]
    for (const end of ends) {
      streak = end % 2 === 1 ? streak + 1 : 0
      longest = Math.max(longest, streak)
    }
    return longest
  }

  #grow(): void {
    const ends = new Float64Array(this.#count * 2)
    ends.set(this.#ends)
    this.#ends = ends
  }
}

type Side = { count: number; sum: Decimal; largest: Decimal }

function count(side: Side, net: Decimal): void {
  side.count++
  side.sum = side.sum.plus(net)
  if (net.abs().gt(side.largest.abs())) side.largest = net
}

function share(sum: Decimal, count: number): Decimal | null {
  return count === 0 ? null : sum.div(String(count))
}
