import type { Query, QueryClient } from '@tanstack/react-query'
import type { LiveEvent } from '@tickwright/client'
import type { LiveHub } from './live.ts'

/** What tells of events, and whether it is connected. */
export type LiveSource = Pick<LiveHub, 'listen' | 'state' | 'subscribeState' | 'takeMissed'>

/** What is read again after an event of each kind: the first part of the keys of queries. */
const touched: Record<LiveEvent['kind'], readonly string[]> = {
  delivery: ['deliveries', 'traces'],
  refused_post: ['refused'],
  run: ['runs', 'deliveries', 'traces', 'stats'],
  signal: ['signals', 'traces'],
  bot_signal: ['bot-signals', 'signals', 'traces'],
  order: ['orders', 'traces', 'stats'],
  fill: ['fills', 'trades', 'equity', 'traces', 'stats'],
  position: ['positions', 'stats'],
  approval: ['approvals', 'traces'],
  backtest: ['backtests'],
  status: ['strategies', 'bots', 'webhooks'],
  suspension: ['strategies'],
  trading_switch: ['trading'],
  price: [],
  resync: [],
}

/** At most four times a second. */
const intervalMs = 250

/**
 * Reads again what events have changed. Pages that show a stream of rows patch their rows themselves, and keep the kind
 * of these rows out of the keys above.
 * @returns the function that ends this
 */
export function refreshOnEvents(hub: LiveSource, queries: QueryClient): () => void {
  const cache = queries.getQueryCache()
  const names = new Set<string>()
  const due = new Set<Query>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const flush = () => {
    timer = undefined
    for (const name of names) for (const query of cache.findAll({ queryKey: [name] })) due.add(query)
    names.clear()
    for (const query of due) {
      const isShown = cache.get(query.queryHash) === query
      // An answer that is under way may be older than the event. It is not thrown away, because under steady events none
      // would ever arrive: this reads once more after it.
      if (isShown && query.state.fetchStatus === 'fetching') continue
      due.delete(query)
      if (isShown) void queries.invalidateQueries({ queryKey: query.queryKey, exact: true })
    }
    if (due.size > 0) timer = setTimeout(flush, intervalMs)
  }
  const readAllAgain = () => {
    for (const query of cache.getAll()) due.add(query)
    timer ??= setTimeout(flush)
  }
  const endEvents = hub.listen((event) => {
    if (event.kind === 'resync') readAllAgain()
    const changed = touched[event.kind] ?? []
    for (const name of changed) names.add(name)
    if (changed.length > 0) timer ??= setTimeout(flush, intervalMs)
  })
  // Whatever happened while nobody listened, or while the first answers were on their way.
  const endStates = hub.subscribeState(() => {
    if (hub.state().status === 'open') readAllAgain()
  })
  if (hub.takeMissed() && hub.state().status === 'open') readAllAgain()
  return () => {
    endEvents()
    endStates()
    clearTimeout(timer)
  }
}
