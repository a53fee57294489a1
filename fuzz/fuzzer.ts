import { findingsFolder, type NamedTarget, readCorpus, readFindings, saveFinding } from './inputs.ts'
import type { Found, FuzzReport, Problem } from './messages.ts'
import { shrink } from './shrink.ts'
import { type Death, WorkerProcess } from './worker-process.ts'

export type FuzzOptions = {
  seed: number
  milliseconds: number
  /** At most so many inputs; what shrinks a finding counts too. */
  executions?: number
  /** Ends after so many different faults: by then there is enough to do. */
  faults?: number
  /** Where findings are saved. */
  findings?: URL
}

export type Finding = Found & { path: string }
export type Result = Omit<FuzzReport, 'found'> & { findings: Finding[] }

/** How often an input that ends the process is made shorter: each time may take seconds. */
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
  // Values are kept as they are: a shorter text need not be one that the target takes.
  const shortest = named.target.format === 'json' ? input : await shrink(input, fails, deathShrinkTries)
  // A copy, because the note is that of a process which is gone.
  return { executions, reached: 0, corpus: [], found: [{ input: Buffer.from(shortest), problem: died }] }
}

/** Tries one input again. @returns what is wrong with it, or `null` */
export async function replay(
  { module }: NamedTarget,
  worker: WorkerProcess,
  input: Buffer,
): Promise<Problem | null> {
  const report = await worker.ask({ type: 'try', module, input })
  return 'died' in report ? report.died : report.problem
}
