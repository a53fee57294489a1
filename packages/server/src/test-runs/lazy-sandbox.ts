import type { Sandbox } from '@tickwright/sandbox'

/** An idle executor takes about 80 MB, so it stops after this time. */
const idleMs = 60_000

/** A sandbox that opens on its first use, and closes after a while without use. */
export class LazySandbox {
  #open: () => Promise<Sandbox>
  #opened: Promise<Sandbox> | undefined
  #users = 0
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(open: () => Promise<Sandbox>) {
    this.#open = open
  }

  /** Rejects if the sandbox cannot open, and after {@link close}. */
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

  /** Ends the runs in progress. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#drop()
  }

  #sandbox(): Promise<Sandbox> {
    if (this.#opened === undefined) {
      const opened = this.#open()
      // The next use tries again.
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
