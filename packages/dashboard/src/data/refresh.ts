import type { QueryClient } from '@tanstack/react-query'
import type { LiveEvent } from '@tickwright/client'
import type { LiveHub } from './live.ts'

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
  approval: ['approvals'],
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
export function refreshOnEvents(hub: LiveHub, queries: QueryClient): () => void {
  const dirty = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const flush = () => {
    timer = undefined
    const names = [...dirty]
    dirty.clear()
    for (const name of names) {
      // An answer that is under way may be older than the event. It is not thrown away, because under steady events none
      // would ever arrive: this reads once more after it.
      if (queries.isFetching({ queryKey: [name] }) > 0) dirty.add(name)
      else void queries.invalidateQueries({ queryKey: [name] })
    }
    if (dirty.size > 0) timer = setTimeout(flush, intervalMs)
  }
  const endEvents = hub.listen((event) => {
    if (event.kind === 'resync') void queries.invalidateQueries({}, { cancelRefetch: false })
    for (const name of touched[event.kind] ?? []) dirty.add(name)
    if (dirty.size > 0) timer ??= setTimeout(flush, intervalMs)
  })
  // Whatever happened while nobody listened.
  const endStates = hub.subscribeState(() => {
    if (hub.state().status === 'open') void queries.invalidateQueries({}, { cancelRefetch: false })
  })
  return () => {
    endEvents()
    endStates()
    clearTimeout(timer)
  }
}
