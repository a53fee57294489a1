import { notifyManager, type Query, type QueryClient, type QueryKey } from '@tanstack/react-query'

/** The changes that must be made once more, for each list of which an answer is under way. */
const underWay = new WeakMap<Query, (() => void)[]>()

/**
 * Changes the rows of a list as an event says. An answer that is under way may be older than the event and replaces all
 * rows, so the change is made to that answer too.
 */
export function changeRows<Rows>(
  queries: QueryClient,
  queryKey: QueryKey,
  change: (rows: Rows) => Rows,
): void {
  const cache = queries.getQueryCache()
  const query = cache.find({ queryKey, exact: true })
  if (query === undefined) return
  const make = () => void queries.setQueryData<Rows>(queryKey, (rows) => rows && change(rows))
  make()
  if (query.state.fetchStatus === 'idle') return
  const others = underWay.get(query)
  if (others !== undefined) return void others.push(make)
  const changes = [make]
  underWay.set(query, changes)
  const end = cache.subscribe(({ type, query: changed }) => {
    if (changed !== query || (type !== 'removed' && query.state.fetchStatus !== 'idle')) return
    end()
    underWay.delete(query)
    if (type !== 'removed') notifyManager.batch(() => changes.forEach((make) => void make()))
  })
}
