/** The figures of the overview, from what the API has. */

import { sumOf } from '../../base/decimals.ts'

/** What belongs together: nothing adds up different currencies, or paper and money. */
export type Group = { key: string; mode: 'paper' | 'live'; demo: boolean; currency: string }

export type Equity = Group & {
  /** The sum of the equities that are known. */
  equity: string
  bots: number
  /** How many bots have no equity yet, because a price or the balance of the account is not known. */
  unknown: number
}

type BotLike = {
  mode: 'paper' | 'live'
  demo: boolean
  amount_currency: string
  equity: string | null
}

/** Equity of all bots, live first. */
export function equities(bots: readonly BotLike[]): Equity[] {
  const groups = Map.groupBy(bots, (bot) => `${bot.mode} ${bot.demo} ${bot.amount_currency}`)
  return [...groups]
    .map(([key, members]): Equity => {
      const { mode, demo, amount_currency: currency } = members[0]!
      const known = members.flatMap(({ equity }) => equity ?? [])
      return {
        ...{ key, mode, demo, currency, bots: members.length },
        equity: sumOf(known),
        unknown: members.length - known.length,
      }
    })
    .sort((one, other) => rank(one) - rank(other) || one.currency.localeCompare(other.currency))
}

function rank({ mode, demo }: Group): number {
  return mode === 'paper' ? 2 : demo ? 1 : 0
}

/** Midnight UTC, when the day of the statistics and of loss limits begins. */
export function startOfDay(now: number): string {
  return `${new Date(now).toISOString().slice(0, 10)}T00:00:00.000Z`
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
