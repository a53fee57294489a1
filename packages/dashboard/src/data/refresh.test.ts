import assert from 'node:assert/strict'
import { test } from 'node:test'
import { QueryClient, QueryObserver } from '@tanstack/react-query'
import type { LiveEvent } from '@tickwright/client'
import type { LiveState } from './live.ts'
import { type LiveSource, refreshOnEvents } from './refresh.ts'

/** A page that shows the number of runs, or something else, and the state of what it follows, as the test says. */
function shownPage({ hasMissed = false, queryKey = ['runs'] } = {}) {
  const queries = new QueryClient()
  let runs = 0
  const answers: (() => void)[] = []
  const query = {
    queryKey,
    queryFn: () => {
      const atRequest = runs
      const { promise, resolve } = Promise.withResolvers<number>()
      answers.push(() => resolve(atRequest))
      return promise
    },
  }
  const endPage = new QueryObserver(queries, query).subscribe(() => {})
  // A stream that opened before the page was there.
  let state: LiveState = hasMissed ? { status: 'open' } : { status: 'waiting', since: 0 }
  const listeners = new Set<(event: LiveEvent) => void>()
  const stateListeners = new Set<() => void>()
  const hub: LiveSource = {
    listen: into(listeners),
    state: () => state,
    subscribeState: into(stateListeners),
    takeMissed: () => hasMissed,
  }
  const endRefresh = refreshOnEvents(hub, queries)
  const timesShown = () => queries.getQueryState(query.queryKey)!.dataUpdateCount
  return {
    addRun: () => (runs += 1),
    event: (kind: LiveEvent['kind'] = 'run') => {
      for (const listener of listeners) listener({ kind, id: '1', data: {} } as LiveEvent)
    },
    open: () => {
      state = { status: 'open' }
      for (const listener of stateListeners) listener()
    },
    answer: async () => {
      while (answers.length === 0) await new Promise((resolve) => setImmediate(resolve))
      const before = timesShown()
      answers.shift()!()
      while (timesShown() === before) await new Promise((resolve) => setImmediate(resolve))
    },
    shown: () => queries.getQueryData(query.queryKey),
    [Symbol.dispose]: () => {
      endPage()
      endRefresh()
      queries.clear()
    },
  }
}

function into<Listener>(listeners: Set<Listener>): (listener: Listener) => () => void {
  return (listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
}

test('an answer from before the stream opened is read again', async () => {
  using page = shownPage()
  // It happens after the service has read for the answer, and before the stream is there to tell of it.
  page.addRun()
  page.open()
  await page.answer()
  assert.equal(page.shown(), 0)
  await page.answer()
  assert.equal(page.shown(), 1)
})

test('an answer that may be older than an event is read again', async () => {
  using page = shownPage()
  page.open()
  await page.answer()
  await page.answer()
  page.addRun()
  page.event()
  await page.answer()
  assert.equal(page.shown(), 1)
})

test('what happened before the page listened is read again', async () => {
  using page = shownPage({ hasMissed: true })
  page.addRun()
  await page.answer()
  await page.answer()
  assert.equal(page.shown(), 1)
})

test('a decision about an approval shows in the trace of its run', async () => {
  using page = shownPage({ queryKey: ['traces', 'run', '1'] })
  page.open()
  await page.answer()
  await page.answer()
  page.addRun()
  page.event('approval')
  await page.answer()
  assert.equal(page.shown(), 1)
})
