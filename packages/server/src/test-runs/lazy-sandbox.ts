import type { Sandbox } from '@tickwright/sandbox'

/** How long the executor of test runs is kept without use: it takes some 80 MB. */
const idleMs = 60_000

/** A sandbox that is opened when it is first needed, and closed when it has not been needed for a while. */
export class LazySandbox {
  #open: () => Promise<Sandbox>
  #opened: Promise<Sandbox> | undefined
  #users = 0
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(open: () => Promise<Sandbox>) {
    this.#open = open
  }

  /** Rejects when the sandbox cannot be opened, and after {@link close}. */
  async use<T>(work: (sandbox: Sandbox) => Promise<T>): Promise<T> {
    if (this.#closed) throw new Error('The sandbox of test runs is closed.')
    clearTimeout(this.#timer)
    this.#users += 1
    try {
      return await work(await this.#sandbox())
    } finally {
      this.#users -= 1
      if (this.#users === 0) this.#timer = setTimeout(() => void this.#drop(), idleMs).unref()
    }
  }

  /** Ends what is under way. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#drop()
  }

  #sandbox(): Promise<Sandbox> {
    if (this.#opened === undefined) {
      const opened = this.#open()
      // One that could not be opened may be tried again.
      opened.catch(() => {
        if (this.#opened === opened) this.#opened = undefined
      })
      this.#opened = opened
    }
    return this.#opened
  }

  async #drop(): Promise<void> {
    const opened = this.#opened
    this.#opened = undefined
    await opened?.then(
      (sandbox) => sandbox.close(),
      () => undefined,
    )
  }
}
