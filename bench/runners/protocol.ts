import type { RunnerInput, RunnerName, RunnerOptions } from './runner.ts'

/** What a runner's process is to open, and what each of its runs gets, stores and does. */
export type RunnerOrder = Omit<RunnerOptions, 'act'> & {
  name: RunnerName
  input: RunnerInput
  /** What a run has to store, to the letter. */
  expected: string
  actsPerRun: number
}

export type Plan = {
  /** How many strategies run at the same time. */
  strategies: number
  /** Whether each run is that of a new strategy. */
  fresh: boolean
  ms: number
}

export type Measurement = {
  perSecond: number
  p50Ms: number
  p99Ms: number
  /** CPU time for a run: of the runner's process, and of the executors that it started. */
  ownCpuMs: number
  othersCpuMs: number
}

/** What a warm strategy adds to the memory of the runner's process, and of its executors; `null` if not to be known. */
export type Idle = { ownBytes: number; othersBytes: number } | null

export type RunnerMessage =
  | { open: RunnerOrder }
  | { measure: Plan }
  | { idle: { strategies: number; runsEach: number } }

/** What the process answers to each message. */
export type RunnerAnswer = { result: Measurement | Idle | null } | { failure: string }
