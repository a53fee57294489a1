/**
 * The probability of backtest overfitting, by combinatorially symmetric cross-validation (CSCV): Bailey, Borwein, López de
 * Prado and Zhu, The Probability of Backtest Overfitting, Journal of Computational Finance 20 (2016).
 */
import { sum } from '../samples.ts'

/**
 * `probability`: how often the trial that was best in one half of the time was not above the median in the other half.
 * `lossProbability`: how often it then lost money. `splits` is the number of halves that were compared.
 */
export type Overfitting = { probability: number; lossProbability: number; splits: number; blocks: number }

const mostBlocks = 16
/** With fewer returns in a block, its Sharpe ratio says nothing. */
const leastRows = 4

/**
 * Compares each half of the blocks of time with the other half.
 * @param trials the returns of each trial, all of the same days. Of a number of days that blocks do not divide, the first
 *   ones are left out.
 * @returns `null` with fewer than two trials, or with too few days for four blocks
 */
export function overfittingOf(trials: readonly (readonly number[])[]): Overfitting | null {
  const days = Math.min(...trials.map(({ length }) => length))
  const blocks = Math.min(mostBlocks, 2 * Math.floor(days / leastRows / 2))
  if (trials.length < 2 || blocks < 4) return null
  const rows = Math.floor(days / blocks)
  const parts = Array.from({ length: blocks }, (_, block) => partOf(trials, (block - blocks) * rows, rows))
  const all = joined(parts)
  const half = (rows * blocks) / 2
  let [overfitted, lost, splits] = [0, 0, 0]
  for (const chosen of halves(blocks)) {
    const inside = joined(chosen.map((block) => parts[block]!))
    const best = indexOfLargest(sharpesOf(inside, half))
    const outside = without(all, inside)
    if (shareBelow(sharpesOf(outside, half), best) <= 0.5) overfitted++
    if (outside.totals[best]! < 0) lost++
    splits++
  }
  return { probability: overfitted / splits, lossProbability: lost / splits, splits, blocks }
}

/** For each trial, the sums that make its Sharpe ratio in some of the blocks. */
type Part = { totals: Float64Array; squares: Float64Array }

/** @param from the first day, counted from the end */
function partOf(trials: readonly (readonly number[])[], from: number, rows: number): Part {
  const values = trials.map((returns) => returns.slice(returns.length + from, returns.length + from + rows))
  return {
    totals: Float64Array.from(values, sum),
    squares: Float64Array.from(values, (each) => sum(each.map((value) => value ** 2))),
  }
}

function joined(parts: readonly Part[]): Part {
  const totals = new Float64Array(parts[0]!.totals.length)
  const squares = new Float64Array(totals.length)
  for (const part of parts) {
    for (let trial = 0; trial < totals.length; trial++) {
      totals[trial]! += part.totals[trial]!
      squares[trial]! += part.squares[trial]!
    }
  }
  return { totals, squares }
}

function without(whole: Part, part: Part): Part {
  return {
    totals: whole.totals.map((total, trial) => total - part.totals[trial]!),
    squares: whole.squares.map((square, trial) => square - part.squares[trial]!),
  }
}

/** 0 for returns that are all the same, such as those of a trial that never traded. */
function sharpesOf({ totals, squares }: Part, count: number): Float64Array {
  return totals.map((total, trial) => {
    const average = total / count
    const variance = (squares[trial]! - total * average) / (count - 1)
    return variance > 1e-18 ? average / Math.sqrt(variance) : 0
  })
}

/** The rank of one of the values from 1 on, in the middle of those that are equal, as a share of one more than all. */
function shareBelow(values: Float64Array, index: number): number {
  const own = values[index]!
  let [below, equal] = [0, 0]
  for (const value of values) {
    if (value < own) below++
    else if (value === own) equal++
  }
  return (below + (equal + 1) / 2) / (values.length + 1)
}

function indexOfLargest(values: Float64Array): number {
  let largest = 0
  for (let index = 1; index < values.length; index++) if (values[index]! > values[largest]!) largest = index
  return largest
}

/** Every choice of half of so many blocks, each in the order of the blocks. */
export function* halves(blocks: number): Generator<number[]> {
  const chosen = Array.from({ length: blocks / 2 }, (_, index) => index)
  for (;;) {
    yield [...chosen]
    let last = chosen.length - 1
    while (last >= 0 && chosen[last] === blocks - chosen.length + last) last--
    if (last < 0) return
    chosen[last]!++
    for (let index = last + 1; index < chosen.length; index++) chosen[index] = chosen[index - 1]! + 1
  }
}
