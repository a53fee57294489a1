import { setTimeout as sleep } from 'node:timers/promises'
import { createApiClient, type LiveEvent, type LiveOptions } from '@tickwright/client'
import type { ApiAccess } from '../examples/access.ts'
import { candlePayload } from './payload.ts'
import type { OwnedSignaller } from './signallers.ts'

export const streamCount = 100
export const perSecond = 50

/** Streams that someone reads. Disposing ends them. */
export type OpenStreams = AsyncDisposable & {
  /** Rejects if a stream has a gap or fails. */
  reading: Promise<unknown>
}

/** Opens a stream for each of these, and resolves once all are open. */
export async function openStreams(
  accesses: readonly ApiAccess[],
  kinds: NonNullable<LiveOptions['kinds']>,
  onEvent: (event: LiveEvent) => void,
): Promise<OpenStreams> {
  const ending = new AbortController()
  const all: Promise<void>[] = []
  for (const access of accesses) {
    const opened = Promise.withResolvers<void>()
    const events = createApiClient(access).live({
      kinds,
      signal: ending.signal,
      onOpen: () => opened.resolve(),
    })
    const read = async () => {
      for await (const event of events) {
        if (event.kind === 'resync') throw new Error(`The stream has a gap: ${JSON.stringify(event)}`)
        onEvent(event)
      }
    }
    const one = read()
    all.push(one)
    await Promise.race([opened.promise, one])
  }
  const reading = Promise.all(all)
  return {
    reading,
    [Symbol.asyncDispose]: async () => {
      ending.abort()
      await reading
    },
  }
}

/**
 * Each account has one stream of the node at `baseUrl` and gets its share of the signals. A signal has the time of its
 * action (`created_at`), which is a little before its commit. So the figures are too high by the time of a commit.
 */
export async function eventDelays(
  signallers: readonly OwnedSignaller[],
  baseUrl: string,
  signals: number,
): Promise<number[]> {
  const delays: number[] = []
  const enough = Promise.withResolvers<void>()
  const accesses = signallers.map(({ access }) => ({ ...access, baseUrl }))
  await using streams = await openStreams(accesses, ['signal'], (event) => {
    if (event.kind !== 'signal') return
    delays.push(Date.now() - Date.parse(event.data.created_at))
    if (delays.length === signals) enough.resolve()
  })
  const posts: Promise<Response>[] = []
  for (let n = 0; n < signals; n++) {
    const headers = { 'content-type': 'application/json' }
    const { url } = signallers[n % signallers.length]!
    posts.push(fetch(url, { method: 'POST', headers, body: candlePayload(n) }))
    await sleep(1000 / perSecond)
  }
  await Promise.all(posts)
  await Promise.race([enough.promise, streams.reading])
  return delays
}
