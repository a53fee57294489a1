import { meQuery } from '../../data/queries.ts'
import { useQuery } from '../../data/use-query.ts'
import { keptDraft } from '../strategies/write/draft-store.ts'

/** The code that the user has typed for a strategy and not saved; `null` if there is none. */
export function useDraftCode(strategyId: number | null): string | null {
  const { data: me } = useQuery(meQuery)
  if (me === undefined || strategyId === null) return null
  return keptDraft(me.id, strategyId)?.text ?? null
}
