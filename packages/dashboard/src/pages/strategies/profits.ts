/** What the trades of each strategy earned, from the statistics of the API. */

import type { client } from '../../data/client.ts'

type StrategyStats = Pick<Awaited<ReturnType<typeof client.stats.byStrategy>>, 'strategies'>
export type Profit = StrategyStats['strategies'][number]['groups'][number]

export const profitDays = 30

/** Midnight (UTC) so many days ago: days of the statistics are those of UTC. */
export function beginningOfProfits(now: number): string {
  const dayMs = 86_400_000
  return new Date((Math.floor(now / dayMs) - profitDays) * dayMs).toISOString()
}

/** The profits of each strategy, real money first. Nothing adds up different currencies, or paper and money. */
export function profitsOf({ strategies }: StrategyStats): Map<number, Profit[]> {
  const found = new Map<number, Profit[]>()
  for (const { strategy_id, groups } of strategies) {
    const own = groups.filter(({ trades, realised }) => trades.closed + trades.open > 0 || realised !== '0')
    if (strategy_id === null || own.length === 0) continue
    found.set(
      strategy_id,
      own.toSorted(
        (one, other) => rank(one) - rank(other) || (one.currency ?? '').localeCompare(other.currency ?? ''),
      ),
    )
  }
  return found
}

function rank({ mode, demo }: Pick<Profit, 'mode' | 'demo'>): number {
  if (mode === null) return 3
  return mode === 'paper' ? 2 : demo === true ? 1 : 0
}

/** All profits of a strategy in words, for those who hover over one. */
export function profitsText(profits: readonly Profit[], format: (value: string) => string): string {
  const lines = profits.map(({ mode, demo, currency, realised, trades: { closed, open } }) => {
    const kind = mode === null ? 'Deleted bots' : mode === 'paper' ? 'Paper' : demo ? 'Demo' : 'Live'
    return `${kind}: ${format(realised)} ${currency ?? ''} with ${closed} closed trades and ${open} open`
  })
  return lines.join('\n')
}
