/** A requested run, as the slots and attempts pass it on. */

import type { ChunkMessage, SeriesEvent } from './messages.ts'
import type { RunHost, RunOutcome, RunRequest } from './types.ts'

/** `hostAfter` makes the host of the run that comes so many runs after the first. */
export type SeriesRuns = { events: SeriesEvent[]; hostAfter(done: number): RunHost }

/** A requested run, until its outcome is known. It can take several attempts. */
export type Task = {
  request: RunRequest
  codeId: number
  seed: number
  /** The runs of a series, of which this is the first. */
  series?: SeriesRuns
  /** How many executors have died during it. */
  deaths: number
  /** Whether an attempt has run out of time because this process stood still. That excuses it once. */
  excused?: boolean
  /** Whether it must be alone in its executor: one died during it and other runs, so that the guilty run is unknown. */
  alone: boolean
  /** When it was requested, on the clock of `performance.now()`. */
  requestedAt: number
  /** @param chunk the runs of its series before it, which were quiet */
  settle(outcome: RunOutcome, chunk?: ChunkMessage): void
}
