import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { onOneCore } from './one-core.ts'
import type { Idle, Measurement, Plan, RunnerAnswer, RunnerMessage, RunnerOrder } from './runners/protocol.ts'

export type RunnerSettings = {
  order: RunnerOrder
  /** Whether V8 only interprets in this process. The order says the same for the sandbox's executors. */
  interpreted?: boolean
}

/** Not `--jitless`: it would also disable WebAssembly, which Node needs to strip types. */
const interpretedFlags = ['--no-opt', '--no-maglev', '--no-sparkplug', '--regexp-interpret-all']

/** A runner in a separate process. The process and its children stay on one core. */
export class RunnerProcess implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #ended: Promise<unknown>

  private constructor(child: ChildProcess) {
    this.#child = child
    this.#ended = once(child, 'exit')
  }

  /** @throws {Error} if the runner cannot be opened */
  static async start({ order, interpreted = false }: RunnerSettings): Promise<RunnerProcess> {
    const flags = interpreted ? interpretedFlags : []
    const command = [
      ...onOneCore,
      process.execPath,
      ...flags,
      join(import.meta.dirname, 'runners', 'main.ts'),
    ]
    const child = spawn(command[0]!, command.slice(1), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    const runner = new RunnerProcess(child)
    try {
      await runner.#ask({ open: order })
    } catch (error) {
      await runner[Symbol.asyncDispose]()
      throw error
    }
    return runner
  }

  /** @throws {Error} if a run stored another value than expected */
  async measure(plan: Plan): Promise<Measurement> {
    return (await this.#ask({ measure: plan })) as Measurement
  }

  async idle(strategies: number, runsEach: number): Promise<Idle> {
    return (await this.#ask({ idle: { strategies, runsEach } })) as Idle
  }

  async #ask(message: RunnerMessage): Promise<unknown> {
    this.#child.send(message)
    const answered = await Promise.race([once(this.#child, 'message'), this.#ended.then(() => undefined)])
    if (answered === undefined) throw new Error('The runner ended.')
    const [answer] = answered as [RunnerAnswer]
    if ('failure' in answer) throw new Error(answer.failure)
    return answer.result
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.connected) this.#child.disconnect()
    await this.#ended
  }
}
