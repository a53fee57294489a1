import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { LoadMessage, LoadPlan, LoadResult } from './load-plan.ts'

/** The load generator, in a separate process. It runs one plan at a time. */
export class LoadGenerator implements AsyncDisposable {
  #child: ChildProcess

  constructor() {
    this.#child = fork(join(import.meta.dirname, 'load-generator.ts'), { stdio: 'inherit' })
  }

  /** @throws {Error} if an answer has another status than the plan says, or a connection is lost */
  async run(plan: LoadPlan): Promise<LoadResult> {
    this.#child.send(plan)
    const [message] = (await once(this.#child, 'message')) as [LoadMessage]
    if ('failure' in message) throw new Error(`Load on ${plan.url}: ${message.failure}`)
    return message.result
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, 'exit')
    this.#child.disconnect()
    await ended
  }
}
