import { Outage } from './outage.ts'

export type SweeperParts = {
  work(): Promise<void>
  everyMs: number
  /** Called if the work fails. It is tried again. */
  onError(error: unknown): void
}

/** Does its work periodically, and whenever it is woken: one run at a time, and another if it was woken meanwhile. */
export class Sweeper {
  #parts: SweeperParts
  #timer: NodeJS.Timeout | undefined
  #working: Promise<void> | undefined
  #again = false
  #stopped = false

  constructor(parts: SweeperParts) {
    this.#parts = parts
  }

  get isStopped(): boolean {
    return this.#stopped
  }

  start(): void {
    this.#timer = setInterval(() => this.wake(), this.#parts.everyMs).unref()
    this.wake()
  }

  wake(): void {
    this.#again = true
    if (!this.#stopped) this.#working ??= this.#work()
  }

  /** Starts nothing new; resolves when the current work has ended. */
  async stop(): Promise<void> {
    this.#stopped = true
    clearInterval(this.#timer)
    await this.#working
  }

  async #work(): Promise<void> {
    while (this.#again && !this.#stopped) {
      this.#again = false
      try {
        await this.#parts.work()
      } catch (error) {
        this.#parts.onError(error)
      }
    }
    this.#working = undefined
  }
}

/** A {@link Sweeper} that tells only the first error of an outage, because it tries again and again. */
export function steadySweeper({ work, everyMs, onError }: SweeperParts): Sweeper {
  const outage = new Outage()
  return new Sweeper({
    everyMs,
    work: async () => {
      await work()
      outage.worked()
    },
    onError: (error) => void (outage.failed() && onError(error)),
  })
}
