import { useMemo } from 'react'
import { useQuery } from '../../data/use-query.ts'
import { equityQuery, reportQuery } from './backtests.ts'
import { daysOf, isShort, momentsOf } from './curve.ts'

/** The equity of one bot, oldest first: at each candle of a short backtest, and else at the end of each day. */
export function useEquity(id: number, bot: number) {
  const { data: report, error, refetch } = useQuery(reportQuery(id, bot))
  const asksMoments = report !== undefined && isShort(report)
  const moments = useQuery({ ...equityQuery(id, bot), enabled: asksMoments })
  const { data } = moments
  const points = useMemo(() => {
    if (report === undefined || (asksMoments && data === undefined)) return undefined
    return asksMoments ? momentsOf(report, data!) : daysOf(report)
  }, [report, asksMoments, data])
  return {
    report,
    points,
    isDaily: !asksMoments,
    error: error ?? moments.error,
    retry: () => void (error === null ? moments.refetch() : refetch()),
  }
}
