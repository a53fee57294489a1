/**
 * The messages between parent and executor. The executor runs hostile code and is not trusted: each of its messages goes
 * through {@link readExecutorMessage}, and the parent kills an executor that sends an invalid one.
 */

import { type HostCall, readHostCall } from './host-calls.ts'
import {
  callsPerRun,
  errorMessageLimit,
  errorNameLimit,
  logByteLimit,
  logCutMark,
  timedLinesPerRun,
} from './limits.ts'
import { isFiniteNumber, isId, isOptional, isRecord, isString, isTextWithin } from './shapes.ts'
import type { RunError } from './types.ts'

/** Maximum size of a frame of an executor, in bytes: the longest body of a request fits, even with every byte escaped. */
export const executorFrameLimit = 2 * 1024 * 1024

/** Maximum size of a frame of the parent, in bytes. The parent is trusted; this only detects a broken stream. */
export const parentFrameLimit = 512 * 1024 * 1024

/** The first message to a new executor: everything that it needs to make isolates. */
export type OpenMessage = {
  type: 'open'
  memoryLimitMb: number
  timeoutMs: number
  serviceWaitMs: number
  runsPerIsolate: number
  warmIsolates: number
  /** Whether the executor may enter the isolates of quick strategies on its main thread. */
  entersDirectly: boolean
  /** Where `$.Http.createApiClient` sends its requests; `null` without a client. */
  apiBaseUrl: string | null
  scripts: GuestScripts
}

/** All scripts go into the snapshot. `client` is empty if there is no client. */
export type GuestScripts = { indicators: string; client: string; runtime: string; harden: string }

/**
 * `code` is absent if the executor should still hold a warm isolate of this `codeId`. `input` is JSON text. `startMs` is
 * what the clock of the run shows at its start, if it is not the present.
 */
export type RunMessage = {
  type: 'run'
  run: number
  strategy: number
  codeId: number
  code?: string
  input: string
  seed: number
  startMs?: number
  /** Whether answers do not move its clock on, as in a series. */
  stands?: boolean
}

/**
 * A run of a series: what its clock shows at its start, in Unix ms, the data of its request and the current price; both are
 * `null` if there is none. `sender`: headers and address of its request as JSON, if they are not those of the input.
 */
export type SeriesEvent = [startMs: number, data: string | null, price: number | null, sender?: string]

/**
 * The next runs of a series. `input` is the JSON text of the input of the first one; the events replace the data of the
 * request and the price in it, and what a run stores is the storage of the next one. `seed` is that of the first run; each
 * further run has the next number.
 */
export type SeriesMessage = {
  type: 'series'
  run: number
  strategy: number
  codeId: number
  code: string
  input: string
  seed: number
  events: SeriesEvent[]
}

/**
 * What the executor did of a series: the first `done` runs ended by themselves, broke no rule and called nothing.
 * `storage` is that of the last one that set it. `goesOn`: the next run called the host or did not end in its entry. It
 * continues like any run, so its calls and its end follow.
 */
export type ChunkMessage = {
  type: 'chunk'
  run: number
  done: number
  storage?: string
  /** The errors and logs of these runs, with their places in the series of the message, in order. */
  failures: [index: number, error: RunError][]
  logs: [index: number, log: string][]
  goesOn: boolean
}

/** Runs that a message of a series has at most. */
export const eventsPerMessage = 4_000

/** The answer to a host call. `value` is that of the call, or `{ name, message }` of the error. */
export type Reply = { run: number; call: number; ok: boolean; value: unknown }

/** `candles` numbers an answer of `$.candles`. `base64` is absent if the executor still holds it: see {@link candlesHeld}. */
export type ReplyMessage = { type: 'reply' } & (
  | Reply
  | (Omit<Reply, 'value'> & { candles: number; base64?: string })
)

/** An executor holds so many answers of `$.candles`, about 3 MB, for other runs that ask for the same. */
export const candlesHeld = 64

export type ParentMessage =
  | OpenMessage
  | RunMessage
  | SeriesMessage
  | ReplyMessage
  | { type: 'forget'; strategy: number }

export type CallMessage = { type: 'call'; run: number; call: number; storage?: string } & HostCall

/** Stands for a host call in {@link EndMessage.marks}, where a line of the log has its length. */
export const callMark = 0

/**
 * How a run ended, as the executor reports it. `unanswered`: it has waited too long for the service. `oversizeBytes`: the
 * size of a value over the limit that `$.Storage.set` got. `kept`: the isolate stays warm, so that the next run of the
 * strategy needs no code.
 */
export type EndMessage = {
  type: 'end'
  run: number
  how: 'returned' | 'threw' | 'timeout' | 'unanswered' | 'memory'
  error: RunError | null
  storage?: string
  oversizeBytes?: number
  log: string
  /**
   * Two numbers for each line of the log and each host call, in their order: the ms since its first line, and the length
   * of the line, or {@link callMark}. Absent for a run that logged and called nothing.
   */
  marks?: number[]
  /** What its clock showed at its start, in Unix ms; then two numbers for each answer: its call, and the ms since then. */
  clock: number[]
  durationMs: number
  /** How much of it the run only waited for the service, which does not count. Absent if it did not wait. */
  waitedMs?: number
  /** The processor time of its isolate. */
  cpuMs: number
  kept: boolean
}

export type ExecutorMessage =
  | { type: 'ready' }
  /** The warm isolate of a run is gone. The parent must send the run again, with its code. */
  | { type: 'cold'; run: number }
  | CallMessage
  /** Until its next reply, a run does nothing but wait for the service. */
  | { type: 'waits'; run: number }
  | EndMessage
  | ChunkMessage
  /** Sent a few times a second while there are runs, with their news. */
  | { type: 'alive'; started: StartedRun[] }

/** A current run: ms since its first line, and its log so far. */
export type StartedRun = [run: number, ageMs: number, log: string]

/** The executor has sent a message that the protocol does not allow. */
export class ProtocolBreach extends Error {
  override name = 'ProtocolBreach'
}

const endings: readonly unknown[] = ['returned', 'threw', 'timeout', 'unanswered', 'memory']
const logLengthLimit = logByteLimit + logCutMark.length + 1
const clockLimit = 1 + 2 * callsPerRun
const marksLimit = 2 * (callsPerRun + timedLinesPerRun)

/** Parses and checks one frame of an executor. Throws {@link ProtocolBreach} unless it is exactly right. */
export function readExecutorMessage(text: string): ExecutorMessage {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new ProtocolBreach('a frame is not JSON')
  }
  if (!isRecord(value)) throw new ProtocolBreach('a frame is not an object')
  const message = readMessage(value)
  if (message === null) throw new ProtocolBreach(`a message does not fit: ${text.slice(0, 200)}`)
  return message
}

function readMessage(value: Record<string, unknown>): ExecutorMessage | null {
  switch (value.type) {
    case 'ready':
      return { type: 'ready' }
    case 'cold':
    case 'waits':
      return isId(value.run) ? { type: value.type, run: value.run } : null
    case 'call':
      return readCall(value)
    case 'end':
      return readEnd(value)
    case 'chunk':
      return readChunk(value)
    case 'alive':
      return Array.isArray(value.started) && value.started.every(isStarted)
        ? { type: 'alive', started: value.started }
        : null
    default:
      return null
  }
}

function readCall(value: Record<string, unknown>): CallMessage | null {
  const { run, call, storage } = value
  if (!isId(run) || !isId(call) || !isOptional(storage, isString)) return null
  const asked = readHostCall(value)
  if (asked === null) return null
  return { type: 'call', run, call, ...(storage === undefined ? {} : { storage }), ...asked }
}

function readEnd(value: Record<string, unknown>): EndMessage | null {
  const { run, how, error, storage, oversizeBytes, log, marks, clock, durationMs, waitedMs, cpuMs, kept } =
    value
  if (!isId(run) || !isEnding(how) || !isTextWithin(log, logLengthLimit) || typeof kept !== 'boolean')
    return null
  if (!isFiniteNumber(durationMs) || durationMs < 0) return null
  if (!isFiniteNumber(cpuMs) || cpuMs < 0) return null
  if (!isOptional(waitedMs, isFiniteNumber) || (waitedMs ?? 0) < 0) return null
  if (!isOptional(storage, isString) || !isOptional(oversizeBytes, isId)) return null
  if (error !== null && !isRunError(error)) return null
  if (marks !== undefined && !areMarks(marks, log.length)) return null
  if (!isClock(clock)) return null
  return {
    type: 'end',
    run,
    how,
    error,
    log,
    clock,
    durationMs,
    cpuMs,
    kept,
    ...(waitedMs === undefined ? {} : { waitedMs }),
    ...(marks === undefined ? {} : { marks }),
    ...(storage === undefined ? {} : { storage }),
    ...(oversizeBytes === undefined ? {} : { oversizeBytes }),
  }
}

function readChunk(value: Record<string, unknown>): ChunkMessage | null {
  const { run, done, storage, failures, logs, goesOn } = value
  if (!isId(run) || !isCount(done) || done > eventsPerMessage || typeof goesOn !== 'boolean') return null
  if (!isOptional(storage, isString)) return null
  if (!isListOf(failures, done, isRunError)) return null
  if (!isListOf(logs, done, (log): log is string => isTextWithin(log, logLengthLimit))) return null
  return { type: 'chunk', run, done, failures, logs, goesOn, ...(storage === undefined ? {} : { storage }) }
}

/** Whether it is a list of pairs of a place before `end` and a value, in the order of the places. */
function isListOf<T>(
  value: unknown,
  end: number,
  is: (value: unknown) => value is T,
): value is [index: number, T][] {
  if (!Array.isArray(value)) return false
  let least = 0
  for (const pair of value as unknown[]) {
    if (!Array.isArray(pair) || pair.length !== 2 || !isCount(pair[0]) || !is(pair[1])) return false
    if (pair[0] < least || pair[0] >= end) return false
    least = pair[0] + 1
  }
  return true
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

function areMarks(value: unknown, logLength: number): value is number[] {
  if (!Array.isArray(value) || value.length % 2 !== 0 || value.length > marksLimit) return false
  let length = 0
  for (let index = 0; index < value.length; index += 2) {
    const [ms, characters] = [value[index] as unknown, value[index + 1] as unknown]
    if (!isFiniteNumber(ms) || ms < 0) return false
    if (characters !== callMark && !isId(characters)) return false
    length += characters
  }
  return length <= logLength
}

function isClock(value: unknown): value is number[] {
  if (!Array.isArray(value) || value.length % 2 !== 1 || value.length > clockLimit) return false
  return value.every((moment) => Number.isSafeInteger(moment) && moment >= 0)
}

function isRunError(value: unknown): value is RunError {
  return (
    isRecord(value) &&
    isTextWithin(value.name, errorNameLimit) &&
    isTextWithin(value.message, errorMessageLimit) &&
    (value.line === null || isId(value.line)) &&
    (value.column === null || isId(value.column))
  )
}

function isStarted(value: unknown): value is StartedRun {
  return (
    Array.isArray(value) &&
    value.length === 3 &&
    isId(value[0]) &&
    isFiniteNumber(value[1]) &&
    value[1] >= 0 &&
    isTextWithin(value[2], logLengthLimit)
  )
}

const isEnding = (value: unknown): value is EndMessage['how'] => endings.includes(value)
