import { ApiError } from '@tickwright/client'
import { useMemo } from 'react'
import { client } from '../../data/client.ts'
import { useInfiniteQuery } from '../../data/use-query.ts'
import type { CandleHistory } from '../../parts/chart/MarkedChart.tsx'

/** As many as fit on a wide screen. */
const firstCount = 500
const olderCount = 1_000

type Kept = {
  history: CandleHistory
  interval: string | null
  /** Those that there are. */
  intervals: readonly string[]
}

/**
 * The candles on which a backtest traded: the latest at once, older ones when asked for.
 * @param asked the duration of a candle; `undefined`: one in which all of them fit on a screen, if there is one
 */
export function useBacktestCandles(id: number, asked: string | undefined): Kept {
  const { data, isPending, error, isFetchingNextPage, hasNextPage, isFetchNextPageError, ...query } =
    useInfiniteQuery({
      queryKey: ['backtest-candles', id, asked],
      queryFn: ({ pageParam: before }: { pageParam: { time: number; interval: string | null } | null }) => {
        const read = (interval: string | undefined) =>
          client.backtests.candles(id, {
            ...(interval !== undefined && { interval }),
            ...(before === null
              ? { count: firstCount }
              : { count: olderCount, until: new Date(before.time).toISOString() }),
          })
        return read(before?.interval ?? asked).catch((error) => {
          // An address may name a duration that this backtest does not have.
          if (before === null && error instanceof ApiError && error.status === 400) return read(undefined)
          throw error
        })
      },
      initialPageParam: null as { time: number; interval: string | null } | null,
      getNextPageParam: ({ candles, interval }) => candles[0] && { time: candles[0].time, interval },
      // They never change.
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 0,
    })
  const { fetchNextPage, refetch } = query
  const candles = useMemo(() => data?.pages.toReversed().flatMap((part) => part.candles) ?? [], [data])
  const first = data?.pages[0]
  return {
    interval: first?.interval ?? null,
    intervals: first?.intervals ?? [],
    history: {
      ...{ candles, isPending, isLoadingOlder: isFetchingNextPage },
      error: data === undefined ? error : null,
      endReason: isFetchNextPageError ? error : null,
      readOlder: () => {
        if (hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage()
      },
      retry: () => void refetch(),
    },
  }
}
