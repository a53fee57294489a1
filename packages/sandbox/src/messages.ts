/**
 * What parent and executor say to each other. The executor runs hostile code and is never trusted: every message
 * of it goes through {@link readExecutorMessage}; anything that does not fit exactly costs it its life.
 */

import { type HostCall, readHostCall } from './host-calls.ts'
import { errorMessageLimit, errorNameLimit, logByteLimit, logCutMark } from './limits.ts'
import { isFiniteNumber, isId, isOptional, isRecord, isString, isTextWithin } from './shapes.ts'
import type { RunError } from './types.ts'

/** Most bytes in a frame of an executor: room for the longest body of a request, each byte of it JSON-escaped. */
export const executorFrameLimit = 2 * 1024 * 1024

/** Most bytes in a frame of the parent, which is trusted: a mere check against a stream out of step. */
export const parentFrameLimit = 512 * 1024 * 1024

/** First message to a new executor: what it needs to make isolates. */
export type OpenMessage = {
  type: 'open'
  memoryLimitMb: number
  timeoutMs: number
  runsPerIsolate: number
  warmIsolates: number
  /** Where `$.Http.createApiClient` sends its requests; `null`: there is no client. */
  apiBaseUrl: string | null
  scripts: GuestScripts
}

/** `indicators` and `client` go into the snapshot; `client` is empty where there is none. */
export type GuestScripts = { indicators: string; client: string; runtime: string; harden: string }

/** `code` is left out when the executor should still hold a warm isolate of this `codeId`. `input` is JSON text. */
export type RunMessage = {
  type: 'run'
  run: number
  strategy: number
  codeId: number
  code?: string
  input: string
}

export type ReplyMessage = {
  type: 'reply'
  run: number
  call: number
  ok: boolean
  /** The value, or `{ name, message }` of the error. */
  value: unknown
}

export type ParentMessage = OpenMessage | RunMessage | ReplyMessage | { type: 'forget'; strategy: number }

export type CallMessage = { type: 'call'; run: number; call: number; storage?: string } & HostCall

/**
 * How the executor saw a run end. `storage_size`: `$.Storage.set` was given `bytes`, over the limit. `kept`: the
 * isolate stays warm, so that the strategy's next run needs no code.
 */
export type EndMessage = {
  type: 'end'
  run: number
  how: 'returned' | 'threw' | 'timeout' | 'memory'
  error: RunError | null
  storage?: string
  oversizeBytes?: number
  log: string
  durationMs: number
  /** Processor time of its isolate. */
  cpuMs: number
  kept: boolean
}

export type ExecutorMessage =
  | { type: 'ready' }
  /** The warm isolate that a run counted on is gone: send it again, with its code. */
  | { type: 'cold'; run: number }
  | CallMessage
  | EndMessage
  /** Sent a few times a second while runs are under way, with what is new of them. */
  | { type: 'alive'; started: StartedRun[] }

/** A run under way: ms since its first line, and its log so far. */
export type StartedRun = [run: number, ageMs: number, log: string]

/** The executor said something that this protocol does not know. */
export class ProtocolBreach extends Error {
  override name = 'ProtocolBreach'
}

const endings: readonly unknown[] = ['returned', 'threw', 'timeout', 'memory']
const logLengthLimit = logByteLimit + logCutMark.length + 1

/** Parses and checks one frame of an executor. Throws {@link ProtocolBreach} unless it fits to the letter. */
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
      return isId(value.run) ? { type: 'cold', run: value.run } : null
    case 'call':
      return readCall(value)
    case 'end':
      return readEnd(value)
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
  const { run, how, error, storage, oversizeBytes, log, durationMs, cpuMs, kept } = value
  if (!isId(run) || !isEnding(how) || !isTextWithin(log, logLengthLimit) || typeof kept !== 'boolean')
    return null
  if (!isFiniteNumber(durationMs) || durationMs < 0) return null
  if (!isFiniteNumber(cpuMs) || cpuMs < 0) return null
  if (!isOptional(storage, isString) || !isOptional(oversizeBytes, isId)) return null
  if (error !== null && !isRunError(error)) return null
  return {
    type: 'end',
    run,
    how,
    error,
    log,
    durationMs,
    cpuMs,
    kept,
    ...(storage === undefined ? {} : { storage }),
    ...(oversizeBytes === undefined ? {} : { oversizeBytes }),
  }
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
