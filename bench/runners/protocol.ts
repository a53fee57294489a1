import type { RunnerInput, RunnerName, RunnerOptions } from './runner.ts'

/** The runner that a process opens, and the input, the storage and the host calls of its runs. */
export type RunnerOrder = Omit<RunnerOptions, 'act'> & {
  name: RunnerName
  input: RunnerInput
  /** The exact text that a run must store. */
  expected: string
  actsPerRun: number
}

export type Plan = {
  /** How many strategies run at the same time. */
  strategies: number
  /** Whether each run has a new strategy. */
  fresh: boolean
  ms: number
}

export type Measurement = {
  perSecond: number
  p50Ms: number
  p99Ms: number
  /** CPU time per run: of the runner's process, and of its executors. */
  ownCpuMs: number
  othersCpuMs: number
}

/** The memory that a warm strategy adds to the runner's process and its executors; `null` if unknown. */
export type Idle = { ownBytes: number; othersBytes: number } | null

export type RunnerMessage =
  | { open: RunnerOrder }
  | { measure: Plan }
  | { idle: { strategies: number; runsEach: number } }

/** The answer of the process to each message. */
export type RunnerAnswer = { result: Measurement | Idle | null } | { failure: string }
