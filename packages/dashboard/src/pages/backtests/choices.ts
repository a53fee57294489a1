/** What a new backtest can name. */
import { queryOptions, useQueries } from '@tanstack/react-query'
import { eachOf } from '@tickwright/client'
import { allOf } from '../../data/all-of.ts'
import { type BotName, botNamesQuery } from '../../data/bot-names.ts'
import { client } from '../../data/client.ts'
import { type StrategyName, strategyNamesQuery } from '../../data/names.ts'

export type Series = Awaited<ReturnType<typeof client.candles.get>>

export const seriesQuery = queryOptions({
  queryKey: ['candle-series'],
  queryFn: () => allOf(eachOf((part) => client.candles.list({ ...part, kind: 'candles' }))),
})

export type Choices = {
  /** Those with code, by their ids. */
  strategies: [id: number, strategy: StrategyName][]
  series: Series[]
  bots: BotName[]
}

/** Reads all of them first: a form that is sent without its lists would take their choices away. */
export function useChoices(): { choices: Choices | undefined; error: Error | null; retry: () => void } {
  const [strategies, series, bots] = useQueries({ queries: [strategyNamesQuery, seriesQuery, botNamesQuery] })
  const all = [strategies, series, bots]
  const isRead = strategies.data && series.data && bots.data
  return {
    choices: isRead && {
      strategies: [...strategies.data].filter(
        ([, { type }]) => type === 'code-strategy' || type === 'code-reaction',
      ),
      series: series.data.filter(({ rows }) => rows > 0),
      bots: [...bots.data.values()],
    },
    error: all.find(({ error }) => error !== null)?.error ?? null,
    retry: () => {
      for (const query of all) if (query.isError) void query.refetch()
    },
  }
}
