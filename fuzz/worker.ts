/**
 * The process that tries inputs: `worker.ts <file for notes> <busy limit in ms> [--coverage]`. It writes each input to
 * the file before it tries it, so that an input that ends the process is known.
 */
import { openSync, writeSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { Coverage } from './coverage.ts'
import {
  type Found,
  type FuzzJob,
  type FuzzReport,
  type Job,
  noteHeaderBytes,
  type Problem,
  type TryReport,
} from './messages.ts'
import { mutate } from './mutate.ts'
import { Random } from './random.ts'
import { shrink } from './shrink.ts'
import type { Target } from './target.ts'

/** The inputs of one coverage check. If they reach anything new, they are tried again one by one. */
const batchSize = 32
const shrinkTries = 2_000

const [notesPath = '', busyLimit, ...flags] = process.argv.slice(2)
const notes = openSync(notesPath, 'w')
const turns = new Int32Array(new SharedArrayBuffer(4))
new Worker(new URL('./worker-watch.ts', import.meta.url), {
  workerData: { turns, busyLimitMs: Number(busyLimit) },
}).unref()
const coverage = new Coverage()
if (flags.includes('--coverage')) coverage.start()

process.on('disconnect', () => process.exit())
process.on('message', async (job: Job) => {
  const target = (await import(job.module)).default as Target
  process.send!(job.type === 'try' ? await tryOne(target, job.input) : await new Campaign(target, job).run())
})
process.send!('ready')

async function tryOne(target: Target, input: Buffer): Promise<TryReport> {
  return { problem: await problemOf(target, input, 1) }
}

/** Tries an input. @returns the problem, or `null` */
async function problemOf(target: Target, input: Buffer, executions: number): Promise<Problem | null> {
  const header = Buffer.alloc(noteHeaderBytes)
  header.writeUInt32LE(executions, 0)
  header.writeUInt32LE(input.length, 4)
  writeSync(notes, Buffer.concat([header, input]), 0, header.length + input.length, 0)
  Atomics.add(turns, 0, 1)
  try {
    const checked = target.check(input)
    if (checked instanceof Promise) await checked
    return null
  } catch (error) {
    return {
      place: placeOf(error),
      text: String(error instanceof Error ? error.stack : error).slice(0, 2_000),
    }
  } finally {
    Atomics.add(turns, 0, 1)
  }
}

/** The name of an error, and the line of the project's code that it comes from. */
function placeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const frames = error.stack?.split('\n') ?? []
  const ours = frames.find((frame) => /\/(packages|fuzz)\//.test(frame) && !frame.includes('/node_modules/'))
  return `${error.name} ${/[^/]+\/[^/]+:\d+(?=:\d+\)?$)/.exec(ours ?? '')?.[0] ?? ''}`
}

/** The fuzzing of one target. */
class Campaign {
  readonly #target: Target
  readonly #random: Random
  readonly #job: FuzzJob
  readonly #endsAt: number
  readonly #found = new Map<string, Found>()
  #corpus: Buffer[] = []
  #executions = 0

  constructor(target: Target, job: FuzzJob) {
    this.#target = target
    this.#job = job
    this.#random = new Random(job.seed)
    this.#endsAt = performance.now() + job.milliseconds
  }

  async run(): Promise<FuzzReport> {
    coverage.reset(this.#target.libraries)
    const { arbitrary } = this.#target
    if (arbitrary === undefined) await this.#mutate()
    else await this.#generate(arbitrary)
    return {
      executions: this.#executions,
      reached: coverage.size,
      corpus: this.#corpus,
      found: [...this.#found.values()],
    }
  }

  get #isOver(): boolean {
    const { executions, faults } = this.#job
    return performance.now() >= this.#endsAt || this.#executions >= executions || this.#found.size >= faults
  }

  async #mutate(): Promise<void> {
    const { seeds, words, byteLimit } = this.#target
    const start = [...seeds, ...this.#job.corpus].sort((one, other) => one.length - other.length)
    for (const input of start) await this.#tryAlone(input)
    if (this.#corpus.length === 0) this.#corpus.push(Buffer.alloc(0))
    while (!this.#isOver) {
      const batch = Array.from({ length: batchSize }, () =>
        mutate(this.#pick(), this.#random, { words, byteLimit, corpus: this.#corpus }),
      )
      for (const input of batch) await this.#try(input)
      if (coverage.hasNew({ remember: false })) for (const input of batch) await this.#tryAlone(input)
      await setImmediate()
    }
  }

  /** Prefers inputs that were found late: they have been mutated the least. */
  #pick(): Buffer {
    const { length } = this.#corpus
    const from = this.#random.below(2) === 0 ? Math.max(0, length - 16) : 0
    return this.#corpus[from + this.#random.below(length - from)]!
  }

  /** Keeps an input that reaches code that no earlier input has reached. */
  async #tryAlone(input: Buffer): Promise<void> {
    await this.#try(input)
    if (coverage.hasNew({ remember: true })) this.#corpus.push(input)
  }

  async #try(input: Buffer): Promise<void> {
    const problem = await this.#problemOf(input)
    if (problem === null || this.#found.has(problem.place)) return
    this.#found.set(problem.place, { input, problem })
    const found = { input, problem }
    await shrink(
      input,
      async (shorter) => {
        const same = await this.#problemOf(shorter)
        if (same?.place !== problem.place) return false
        Object.assign(found, { input: shorter, problem: same })
        return true
      },
      shrinkTries,
    )
    this.#found.set(problem.place, found)
  }

  async #generate(arbitrary: fc.Arbitrary<unknown>): Promise<void> {
    while (!this.#isOver) {
      const property = fc.asyncProperty(arbitrary, async (value) => {
        const problem = await this.#problemOf(Buffer.from(JSON.stringify(value)))
        if (problem !== null && !this.#found.has(problem.place)) throw new Error(problem.place)
      })
      const seed = this.#random.below(2 ** 31)
      const left = Math.max(1, this.#endsAt - performance.now())
      const numRuns = Math.min(100, this.#job.executions - this.#executions)
      const { counterexample } = await fc.check(property, { seed, numRuns, interruptAfterTimeLimit: left })
      coverage.hasNew({ remember: true })
      if (counterexample === null) continue
      const input = Buffer.from(JSON.stringify(counterexample[0]))
      const problem = await this.#problemOf(input)
      if (problem !== null) this.#found.set(problem.place, { input, problem })
    }
  }

  #problemOf(input: Buffer): Promise<Problem | null> {
    this.#executions++
    return problemOf(this.#target, input, this.#executions)
  }
}
