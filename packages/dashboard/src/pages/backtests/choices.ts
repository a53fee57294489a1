/** What a new backtest can name. */
import { queryOptions, useQueries } from '@tanstack/react-query'
import { eachOf } from '@tickwright/client'
import { count } from '../../base/numbers.ts'
import { plainText } from '../../base/text.ts'
import { allOf } from '../../data/all-of.ts'
import { type BotName, botNamesQuery } from '../../data/bot-names.ts'
import { client } from '../../data/client.ts'
import { type StrategyName, strategyNamesQuery } from '../../data/names.ts'
import { type Webhook, webhooksQuery } from '../../data/webhooks.ts'

export type Series = Awaited<ReturnType<typeof client.candles.get>>

export const seriesQuery = queryOptions({
  queryKey: ['candle-series'],
  queryFn: () => allOf(eachOf((part) => client.candles.list({ ...part, kind: 'candles' }))),
})

const fundingQuery = queryOptions({
  queryKey: ['candle-series', 'funding'],
  queryFn: () => allOf(eachOf((part) => client.candles.list({ ...part, kind: 'funding' }))),
})

export type Choices = {
  /** Those with code, and AI reactions, by their ids. */
  strategies: [id: number, strategy: StrategyName][]
  series: Series[]
  /** Of funding rates. */
  funding: Series[]
  bots: BotName[]
  dataWebhooks: Webhook[]
  botWebhooks: Webhook[]
}

/** Whether a model decides in this strategy: only on deliveries. */
export function asksModel({ strategies }: Choices, id: number | null): boolean {
  return strategies.find(([each]) => each === id)?.[1].type === 'llm-reaction'
}

/** Reads all of them first: a form that is sent without its lists would take their choices away. */
export function useChoices(): { choices: Choices | undefined; error: Error | null; retry: () => void } {
  const [strategies, series, funding, bots, dataWebhooks, botWebhooks] = useQueries({
    queries: [
      strategyNamesQuery,
      seriesQuery,
      fundingQuery,
      botNamesQuery,
      webhooksQuery('data'),
      webhooksQuery('bot'),
    ],
  })
  const all = [strategies, series, funding, bots, dataWebhooks, botWebhooks]
  const isRead =
    strategies.data && series.data && funding.data && bots.data && dataWebhooks.data && botWebhooks.data
  return {
    choices: isRead && {
      strategies: [...strategies.data].filter(
        ([, { type }]) => type === 'code-strategy' || type === 'code-reaction' || type === 'llm-reaction',
      ),
      series: series.data.filter(({ rows }) => rows > 0),
      funding: funding.data.filter(({ rows }) => rows > 0),
      bots: [...bots.data.values()],
      dataWebhooks: dataWebhooks.data,
      botWebhooks: botWebhooks.data,
    },
    error: all.find(({ error }) => error !== null)?.error ?? null,
    retry: () => {
      for (const query of all) if (query.isError) void query.refetch()
    },
  }
}

/** A series in the words of a choice. */
export function textOfSeries({
  id,
  kind,
  name,
  source,
  exchange,
  symbol,
  interval,
  rows,
  first_at,
  last_at,
}: Series): string {
  const words = [exchange, symbol, interval, source === 'seen' ? 'seen prices' : name]
  const what = words.filter((word) => word !== null && word !== '').join(' ')
  const days =
    first_at === null || last_at === null ? '' : `, ${first_at.slice(0, 10)} to ${last_at.slice(0, 10)}`
  return plainText(`${what || `Series ${id}`}: ${count(rows, kind === 'funding' ? 'rate' : 'candle')}${days}`)
}
