import type { QueryCache } from '@tanstack/react-query'

/** So long an answer may take. Nothing that pages read takes longer, unless the service or its database hangs. */
const silentMs = 15_000

/** Tells since when the service is silent. */
export type Silence = {
  /** When the read was asked that has waited longest, if it has waited too long. In Unix ms. */
  since(now: number): number | undefined
}

/**
 * Notes when each read was asked. A stream of events can stay open while nothing is answered, for example because the
 * database hangs: then nothing happens on the stream, and what pages show grows old.
 */
export function watchSilence(cache: QueryCache): Silence {
  const asked = new Map<string, number>()
  cache.subscribe((event) => {
    const { queryHash, state } = event.query
    if (event.type === 'removed' || state.fetchStatus !== 'fetching') asked.delete(queryHash)
    // A failure is an answer too: the page says it, and asks again.
    else if (event.type === 'updated' && (event.action.type === 'fetch' || event.action.type === 'failed'))
      asked.set(queryHash, Date.now())
  })
  return {
    since: (now) => {
      const first = Math.min(...asked.values())
      return now - first > silentMs ? first : undefined
    },
  }
}
