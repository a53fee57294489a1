/** The figures of the overview, from what the API has. */

import type { client } from '../../data/client.ts'

/** What all bots are worth now. */
export type Equities = Awaited<ReturnType<typeof client.equity.get>>

/** How far these sums have fallen, with their curves. */
export type EquityFalls = Awaited<ReturnType<typeof client.equity.drawdown>>

/** What belongs together: nothing adds up different currencies, or paper and money. */
type Money = { mode: 'paper' | 'live'; demo: boolean; currency: string }

export type Fall = { amount: string; percent: string | null; peak_at: string; lowest_at: string }

export function keyOf({ mode, demo, currency }: Money): string {
  return `${mode} ${demo} ${currency}`
}

/** Real money first, paper last. */
export function liveFirst<Group extends Money>(groups: readonly Group[]): Group[] {
  return groups.toSorted(
    (one, other) => rank(one) - rank(other) || one.currency.localeCompare(other.currency),
  )
}

function rank({ mode, demo }: Money): number {
  return mode === 'paper' ? 2 : demo ? 1 : 0
}

type RunLike = { strategy_id: number }
export type FailureGroup = { strategyId: number; count: number }

/** How many of these runs each strategy has, the most first. */
export function byStrategy(runs: readonly RunLike[]): FailureGroup[] {
  const groups = Map.groupBy(runs, ({ strategy_id }) => strategy_id)
  return [...groups]
    .map(([strategyId, own]) => ({ strategyId, count: own.length }))
    .sort((one, other) => other.count - one.count)
}

type StrategyLike = { name: string; status: string; next_run_at?: string | null }

/** The strategies that run next, the soonest first. */
export function nextRuns<Strategy extends StrategyLike>(
  strategies: Iterable<Strategy>,
  most: number,
): Strategy[] {
  return [...strategies]
    .filter(({ next_run_at }) => typeof next_run_at === 'string')
    .sort((one, other) => Date.parse(one.next_run_at!) - Date.parse(other.next_run_at!))
    .slice(0, most)
}
