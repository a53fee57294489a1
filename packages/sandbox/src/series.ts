/**
 * Runs of one strategy, one after the other. Most runs only compute: the executor does many of them before it answers. A run
 * that calls the host, breaks a rule or takes long goes on like any run, under all its rules. If an executor dies during
 * runs of a series, they begin again one by one, so that the guilty run kills its executor alone and is found.
 */

import { explainAbsence } from './absent-members.ts'
import { seedAfter } from './executor/series.ts'
import { type ChunkMessage, eventsPerMessage, type SeriesEvent as PackedEvent } from './messages.ts'
import type { SeriesRuns } from './task.ts'
import type {
  RunInput,
  RunOutcome,
  RunRequest,
  SeriesEvent,
  SeriesEvents,
  SeriesRequest,
  SeriesStep,
} from './types.ts'

/** The events of a message have at most about this many characters. */
const messageLength = 1024 * 1024
/**
 * An executor gets at least so many events, and this many times as many as it took of the last ones: if it took all, and
 * if it did not, since those that it leaves were packed in vain.
 */
const leastEvents = 16
const growth = { all: 2, some: 1.25 }
/** After a run that did not end in its entry, so many runs do not try. */
const runsWithoutTrying = 64

/** Executes a run; with `series`, as many of its runs as are quiet, and then one that is not. */
export type Execute = (
  request: RunRequest & { seed: number },
  series?: SeriesRuns,
) => Promise<{ outcome: RunOutcome; chunk: ChunkMessage | undefined }>

/** @param mayChunk whether several runs may be given to an executor at once */
export async function runSeries(request: SeriesRequest, execute: Execute, mayChunk: boolean): Promise<void> {
  const { events, code, strategyId, hostOf } = request
  const most = Math.min(request.eventsAtOnce ?? eventsPerMessage, eventsPerMessage)
  /** Events that it did not take are packed again. Code that calls the host in each run takes only one of them. */
  let size = most
  let { storage } = request.input
  let lastTrigger = request.input.strategy.signal?.lastTrigger
  /** Runs before this one are executed one by one. */
  let oneByOneUntil = 0
  let from = 0
  while (from < events.length) {
    const event = events.at(from)!
    const input = inputAt(request.input, event, storage, lastTrigger)
    const alone: RunRequest & { seed: number } = {
      ...{ strategyId, code, input, host: hostOf(from) },
      ...{ seed: seedAfter(request.seed, from), startMs: event.startMs, stands: true },
    }
    const packed = mayChunk && from >= oneByOneUntil ? packedFrom(events, from, input, size) : undefined
    const first = from
    const { outcome, chunk } = await execute(
      alone,
      packed && { events: packed, hostAfter: (done) => hostOf(first + done) },
    )
    if (packed !== undefined && chunk === undefined) {
      oneByOneUntil = from + packed.length
      continue
    }
    if (chunk !== undefined) {
      const times = chunk.done === packed?.length ? growth.all : growth.some
      size = Math.min(most, Math.max(leastEvents, Math.ceil(times * chunk.done)))
    }
    const goesOn = chunk?.goesOn ?? true
    let to = from + (chunk?.done ?? 0)
    storage = chunk?.storage ?? storage
    const isLost = packed !== undefined && outcome.status === 'interrupted'
    if (isLost) oneByOneUntil = to + 1
    else if (goesOn) {
      // It may have been slow, and then the next ones probably are.
      if (outcome.calls === 0 && packed !== undefined) oneByOneUntil = to + runsWithoutTrying
      to += 1
      storage = outcome.storage ?? storage
    }
    const step: SeriesStep = {
      ...{ from: first, to, outcome: goesOn && !isLost ? outcome : null, storage },
      failures: (chunk?.failures ?? []).map(([index, error]) => [
        first + index,
        explainAbsence(error, code, input),
      ]),
      logs: (chunk?.logs ?? []).map(([index, log]) => [first + index, log]),
    }
    if (to > first) {
      const state = request.ended(step)
      if (state === null) return
      from = Math.max(to, state.next)
      lastTrigger = state.lastTrigger
    }
  }
}

function inputAt(
  { strategy, request, price: market, env }: RunInput,
  { data, price, sender }: SeriesEvent,
  storage: string | null,
  lastTrigger: NonNullable<RunInput['strategy']['signal']>['lastTrigger'] | undefined,
): RunInput {
  const { signal } = strategy
  const { symbol = '', exchange = '', service = '' } = market ?? {}
  const own = sender ?? request
  return {
    strategy: {
      ...strategy,
      signal: signal && { ...signal, lastTrigger: lastTrigger ?? signal.lastTrigger },
    },
    storage,
    request: data === null ? null : { data, headers: own?.headers ?? {}, ip: own?.ip ?? '' },
    price: price === null ? null : { symbol, price, exchange, service },
    env,
  }
}

/**
 * The next events for a message: those that fit, that have a request and a price if the first one has them, and a sender of
 * their own as it has: what they lack is that of the first one.
 */
function packedFrom(events: SeriesEvents, from: number, input: RunInput, most: number): PackedEvent[] {
  const packed: PackedEvent[] = []
  const hasSender = events.at(from)!.sender !== undefined
  let length = 0
  for (let index = from; index < events.length && packed.length < most; index += 1) {
    const { startMs, data, price, sender } = events.at(index)!
    if ((data !== null && input.request === null) || (price !== null && input.price === null)) break
    if ((sender !== undefined) !== hasSender) break
    const senderText = sender && JSON.stringify(sender)
    length += (data?.length ?? 0) + (senderText?.length ?? 0)
    if (length > messageLength && index > from) break
    packed.push(senderText === undefined ? [startMs, data, price] : [startMs, data, price, senderText])
  }
  return packed
}
