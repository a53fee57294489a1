/**
 * The runs of a series that need nothing from outside. Each of them enters the isolate once and synchronously, as a direct
 * entry does: work that a run leaves behind ends in that run. The first one that needs more is left to `Runs`.
 */

import type { ChunkMessage, RunMessage, SeriesMessage } from '../messages.ts'
import type { RunError, RunInput, SeriesEvent as SeriesRun } from '../types.ts'
import { directLimitMs } from './direct-entries.ts'
import { guestKinds } from './guest/kinds.ts'
import type { GuestIsolate } from './guest-isolate.ts'

/** No run of a series starts after this time, in ms. With the longest entry, the parent hears from the executor in time. */
const turnMs = 40
/** Failures and logs of a message have at most about this many characters. */
const reportLength = 256 * 1024

export type Quiet = Omit<ChunkMessage, 'type' | 'run' | 'goesOn'> & {
  /**
   * Why it ended before the last run. `waits`: the next run has called the host; `posts` is what it posted. `again`: the next
   * run did not end in its entry, so its isolate is of no use, and nobody has seen anything of it. `null`: it may go on.
   */
  rest: 'waits' | 'again' | null
  posts: unknown
}

/** Executes runs in order, for a short time. */
export function executeQuietly(guest: GuestIsolate, message: SeriesMessage, runsPerIsolate: number): Quiet {
  const { run, seed, events, input } = message
  const quiet: Quiet = { done: 0, failures: [], logs: [], rest: null, posts: undefined }
  const end = performance.now() + turnMs
  let first: { shared?: string; code?: string | undefined } = {
    shared: input,
    code: guest.codeId === message.codeId ? undefined : message.code,
  }
  guest.codeId = message.codeId
  let length = 0
  while (quiet.done < events.length) {
    if (quiet.done > 0 && (performance.now() >= end || length > reportLength)) break
    if (guest.runs >= runsPerIsolate) break
    let posts: unknown
    try {
      posts = guest.startNext(run, seedAfter(seed, quiet.done), events[quiet.done]!, first, directLimitMs())
    } catch {
      return { ...quiet, rest: 'again' }
    }
    first = {}
    const read = readPosts(posts)
    if (read === 'waits') return { ...quiet, rest: read, posts }
    if (read === null) return { ...quiet, rest: 'again' }
    if (read.storage !== undefined) quiet.storage = read.storage
    if (read.error !== null) quiet.failures.push([quiet.done, read.error])
    if (read.log !== '') quiet.logs.push([quiet.done, read.log])
    length += read.log.length + (read.error === null ? 0 : read.error.message.length + 100)
    quiet.done += 1
  }
  return quiet
}

/** The seed of the run that comes so many runs after the one with this seed. */
export function seedAfter(seed: number, runs: number): number {
  const later = seed + runs
  return later <= Number.MAX_SAFE_INTEGER ? later : later - Number.MAX_SAFE_INTEGER - 1
}

/** The run of a series after those that are done, like any other. */
export function runAfter(
  { events, ...message }: SeriesMessage,
  { done, storage }: { done: number; storage?: string },
): RunMessage {
  const [startMs, data, price, sender] = events[done]!
  const input = JSON.parse(message.input) as RunInput
  if (storage !== undefined) input.storage = storage
  const own = sender === undefined ? {} : (JSON.parse(sender) as NonNullable<SeriesRun['sender']>)
  input.request = data === null ? null : { ...input.request!, ...own, data }
  input.price = price === null ? null : { ...input.price!, price }
  return {
    ...message,
    ...{
      type: 'run',
      input: JSON.stringify(input),
      seed: seedAfter(message.seed, done),
      startMs,
      stands: true,
    },
  }
}

type Ended = { storage: string | undefined; error: RunError | null; log: string }

/** What a run posted; `null` unless it ended by itself and broke no rule. */
function readPosts(posts: unknown): Ended | 'waits' | null {
  if (!Array.isArray(posts)) return null
  let log = ''
  let end: Ended | null = null
  for (let index = 0; index + 1 < posts.length; index += 2) {
    const text = posts[index + 1] as string
    switch (posts[index]) {
      case guestKinds.call:
        return 'waits'
      case guestKinds.log:
        if (end === null) log += text
        break
      case guestKinds.returned:
        end ??= { storage: text === '' ? undefined : text, error: null, log: '' }
        break
      case guestKinds.end: {
        const { error, isSyntax, storage, oversizeBytes } = JSON.parse(text)
        if (isSyntax || error === null || oversizeBytes !== undefined) return null
        end ??= { storage, error, log: '' }
      }
    }
  }
  return end && { ...end, log }
}
