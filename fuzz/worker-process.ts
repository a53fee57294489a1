import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type FuzzJob,
  type FuzzReport,
  type Problem,
  readNote,
  type TryJob,
  type TryReport,
} from './messages.ts'

/** The worker process has ended while it tried `input`. */
export type Death = { died: Problem; executions: number; input: Buffer }

/** A worker process, which restarts after an input has ended it. */
export class WorkerProcess {
  readonly #folder = mkdtempSync(join(tmpdir(), 'fuzz-'))
  readonly #coverage: boolean
  readonly #busyLimitMs: number
  #child: ChildProcess | undefined

  /**
   * @param options.coverage only a worker with coverage can fuzz; one without tries inputs faster
   * @param options.busyLimitMs the limit on an input's CPU time; an input that takes longer is a finding
   */
  constructor({ coverage, busyLimitMs = 2_000 }: { coverage: boolean; busyLimitMs?: number }) {
    this.#coverage = coverage
    this.#busyLimitMs = busyLimitMs
  }

  get busyLimitMs(): number {
    return this.#busyLimitMs
  }

  ask(job: FuzzJob): Promise<FuzzReport | Death>
  ask(job: TryJob): Promise<TryReport | Death>
  async ask(job: FuzzJob | TryJob): Promise<FuzzReport | TryReport | Death> {
    const child = this.#child ?? (await this.#start())
    child.send(job)
    const ends = new AbortController()
    const { signal } = ends
    const answer = once(child, 'message', { signal }).then(([report]) => report as FuzzReport | TryReport)
    const exit = once(child, 'exit', { signal }).then(([code, killer]) => this.#death(code, killer))
    try {
      return await Promise.race([answer, exit])
    } finally {
      // The other one of the two rejects; ignore it.
      for (const promise of [answer, exit]) promise.catch(() => undefined)
      ends.abort()
    }
  }

  [Symbol.dispose](): void {
    this.#child?.kill('SIGKILL')
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #start(): Promise<ChildProcess> {
    const worker = fileURLToPath(new URL('./worker.ts', import.meta.url))
    const flags = this.#coverage ? ['--coverage'] : []
    const child = fork(worker, [this.#notes, String(this.#busyLimitMs), ...flags], {
      serialization: 'advanced',
      // The memory limit ends an input before it fills the machine's memory. A finding that overflows the stack was shrunk
      // until it only just overflows: with a smaller stack, it certainly does so again.
      execArgv: ['--max-old-space-size=512', `--stack-size=${this.#coverage ? 900 : 700}`],
      // Cached code was not compiled for coverage.
      env: { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    const started = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => null)])
    if (started === null) throw new Error('The worker process of the fuzzer did not start.')
    this.#child = child
    return child
  }

  #death(code: number | null, killer: string | null): Death {
    this.#child = undefined
    const why =
      killer === 'SIGKILL'
        ? `It kept the processor busy for more than ${this.#busyLimitMs} ms.`
        : `The process ended with ${killer ?? `code ${code}`}.`
    return {
      died: { place: `death by ${killer ?? code}`, text: why },
      ...readNote(readFileSync(this.#notes)),
    }
  }

  get #notes(): string {
    return join(this.#folder, 'notes')
  }
}
