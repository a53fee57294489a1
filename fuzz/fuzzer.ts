import { findingsFolder, type NamedTarget, readCorpus, readFindings, saveFinding } from './inputs.ts'
import type { Found, FuzzReport, Problem } from './messages.ts'
import { shrink } from './shrink.ts'
import { type Death, WorkerProcess } from './worker-process.ts'

export type FuzzOptions = {
  seed: number
  milliseconds: number
  /** The most inputs to try, including those that shrink a finding. */
  executions?: number
  /** The number of different faults after which the fuzzer ends. */
  faults?: number
  /** The folder for findings. */
  findings?: URL
}

export type Finding = Found & { path: string }
export type Result = Omit<FuzzReport, 'found'> & { findings: Finding[] }

/** The tries to shorten an input that ends the process: each may take seconds. */
const deathShrinkTries = 16

/** Fuzzes one target, and saves what it finds. A target ends at an input that ends its process. */
export async function fuzz(
  named: NamedTarget,
  worker: WorkerProcess,
  { seed, milliseconds, ...options }: FuzzOptions,
): Promise<Result> {
  const { executions = Number.POSITIVE_INFINITY, faults = 5, findings = findingsFolder } = options
  const { name, module } = named
  const failedOnce = await readFindings(name)
  const corpus = [...(await readCorpus(name)), ...failedOnce.map(({ input }) => input)]
  const report = await worker.ask({ type: 'fuzz', module, seed, corpus, milliseconds, executions, faults })
  const { found, ...figures } = 'died' in report ? await afterDeath(named, worker, report) : report
  const saved = found.map(async (one) => ({ ...one, path: await saveFinding(findings, named, one.input) }))
  return { ...figures, findings: await Promise.all(saved) }
}

async function afterDeath(
  named: NamedTarget,
  { busyLimitMs }: WorkerProcess,
  { died, input, executions }: Death,
): Promise<FuzzReport> {
  using worker = new WorkerProcess({ coverage: false, busyLimitMs })
  const fails = async (shorter: Buffer) => (await replay(named, worker, shorter))?.place === died.place
  // Values are stored unchanged: the target may not accept a shorter text.
  const shortest = named.target.format === 'json' ? input : await shrink(input, fails, deathShrinkTries)
  // A copy, because the note belongs to a process that has ended.
  return { executions, reached: 0, corpus: [], found: [{ input: Buffer.from(shortest), problem: died }] }
}

/** Tries one input again. @returns the problem, or `null` */
export async function replay(
  { module }: NamedTarget,
  worker: WorkerProcess,
  input: Buffer,
): Promise<Problem | null> {
  const report = await worker.ask({ type: 'try', module, input })
  return 'died' in report ? report.died : report.problem
}
