import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useEvents } from '../../data/use-live.ts'
import { useThrottled } from '../../data/use-throttled.ts'

/**
 * Reads strategies again after their runs, which change the last action, both times and the stored value.
 * @param intervalMs at most once in each
 * @param strategyId only after runs of this one; default: of all
 */
export function useRuns(queryKey: QueryKey, intervalMs: number, strategyId?: number): void {
  const queries = useQueryClient()
  const refresh = useThrottled(() => void queries.invalidateQueries({ queryKey, exact: true }), intervalMs)
  const onEvent = ({ strategy_id }: { strategy_id: number | null }) => {
    if (strategyId === undefined || strategy_id === strategyId) refresh()
  }
  useEvents('run', onEvent)
  useEvents('signal', onEvent)
}
