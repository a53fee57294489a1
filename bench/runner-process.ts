import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { onOneCore } from './one-core.ts'
import type { Idle, Measurement, Plan, RunnerAnswer, RunnerMessage, RunnerOrder } from './runners/protocol.ts'

export type RunnerSettings = {
  order: RunnerOrder
  /** Whether V8 only interprets in this process; what it means for the sandbox's executors is said by the order. */
  interpreted?: boolean
}

/** `--jitless` would take WebAssembly away too, which Node strips types with. */
const interpretedFlags = ['--no-opt', '--no-maglev', '--no-sparkplug', '--regexp-interpret-all']

/** A runner in a process of its own, which stays on one core together with all that it starts. */
export class RunnerProcess implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #ended: Promise<unknown>

  private constructor(child: ChildProcess) {
    this.#child = child
    this.#ended = once(child, 'exit')
  }

  /** @throws {Error} when the runner cannot be opened */
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

  /** @throws {Error} when a run stored something else than it has to */
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
