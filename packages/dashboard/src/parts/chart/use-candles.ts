import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { serviceOf } from '../../base/symbols.ts'
import { client } from '../../data/client.ts'
import { useInfiniteQuery, useQuery } from '../../data/use-query.ts'
import { type Interval, intervalMs } from './intervals.ts'
import type { CandleHistory } from './MarkedChart.tsx'
import { type Candle, mergeCandles } from './model.ts'

/** Which candles: of a symbol of an exchange. */
export type Market = { exchangeId: number; symbol: string; interval: Interval }

const firstCount = 500
const olderCount = 1000
/** The service asks an exchange for an unfinished candle after 2 s at the soonest. */
const pollMs = 2000

async function readCandles(market: Market, range: { count?: number; since?: string; until?: string }) {
  const { exchangeId, symbol, interval } = market
  const service = serviceOf(symbol)
  const { candles } = await client.market.candles({
    exchange: String(exchangeId),
    symbol,
    interval,
    ...(service && { service }),
    ...range,
  })
  return candles
}

const isoOf = (ms: number) => new Date(ms).toISOString()

/** The candles of a market, oldest first: the latest at once, older ones when asked for, the last one as it moves. */
export function useCandles(market: Market): CandleHistory {
  const queries = useQueryClient()
  const key = [market.exchangeId, market.symbol, market.interval]
  const history = useInfiniteQuery({
    queryKey: ['candles', ...key],
    queryFn: ({ pageParam: until }: { pageParam: number | null }) =>
      until === null
        ? readCandles(market, { count: firstCount })
        : readCandles(market, { count: olderCount, until: isoOf(until) }),
    initialPageParam: null as number | null,
    getNextPageParam: (part) => part[0]?.time,
    // Finished candles never change, and the query below reads what comes after them.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  const newest = history.data?.pages[0]?.at(-1)?.time
  const latestKey = ['latest-candles', ...key]
  const { data: latest } = useQuery({
    queryKey: latestKey,
    queryFn: async () => {
      const known = queries.getQueryData<Candle[]>(latestKey) ?? []
      const since = isoOf(known.at(-1)?.time ?? newest!)
      return mergeCandles(known, await readCandles(market, { since }))
    },
    enabled: newest !== undefined,
    refetchInterval: Math.min(pollMs * (intervalMs[market.interval] >= 3_600_000 ? 2 : 1), 10_000),
    gcTime: 0,
  })
  const candles = useMemo(() => {
    const known = history.data?.pages.toReversed().flat() ?? []
    return mergeCandles<Candle>(known, latest ?? [])
  }, [history.data, latest])
  const { error, isFetchingNextPage, hasNextPage, isFetchNextPageError, fetchNextPage, refetch } = history
  return {
    candles,
    isPending: history.isPending,
    error: history.data === undefined ? error : null,
    endReason: isFetchNextPageError ? error : null,
    isLoadingOlder: isFetchingNextPage,
    readOlder: () => {
      if (hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage()
    },
    retry: () => void refetch(),
  }
}
