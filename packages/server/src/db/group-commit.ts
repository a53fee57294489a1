export type GroupCommitOptions<Item, Result> = {
  /** Writes a batch in one transaction, completely or not at all. Resolves with one result per item, in order. */
  commit(batch: Item[]): Promise<Result[]>
  /** The most items in a batch. */
  batchLimit: number
  /**
   * Whether a failed batch is retried item by item, so that one item that the database refuses does not fail the
   * others. This needs a `commit` that leaves nothing behind if it fails.
   */
  isolateFailures: boolean
  /**
   * How long a batch waits for more items, in ms. Only for items whose callers do not wait for them. Default 0: no
   * longer than this turn of the event loop.
   */
  patienceMs?: number
}

type Waiting<Item, Result> = {
  item: Item
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

/**
 * Collects the items that arrive during a commit, and commits them together in the next one. Under load, many items
 * share a commit; an item that arrives alone does not wait, unless the group has patience. Items are committed in the
 * order in which they were submitted.
 */
export class GroupCommit<Item, Result> {
  #options: GroupCommitOptions<Item, Result>
  #waiting: Waiting<Item, Result>[] = []
  #flushing: Promise<void> | undefined
  /** Ends the wait for more items. */
  #endWait: (() => void) | undefined
  /** Whether what is waiting must not wait for more. */
  #isHurried = false

  constructor(options: GroupCommitOptions<Item, Result>) {
    this.#options = options
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /** Resolves once the item is durable. */
  submit(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      if (this.#waiting.length >= this.#options.batchLimit) this.#endWait?.()
      this.#flushing ??= this.#flush()
    })
  }

  /** Commits what is waiting now without patience. */
  hurry(): void {
    if (this.#waiting.length === 0) return
    this.#isHurried = true
    this.#endWait?.()
  }

  /** Resolves when no item is waiting or being committed. */
  async drain(): Promise<void> {
    while (this.#flushing !== undefined) {
      this.hurry()
      await this.#flushing
    }
  }

  async #flush(): Promise<void> {
    // Other items of this turn of the event loop join the batch.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#waiting.length > 0) {
      await this.#waitForMore()
      const batch = this.#waiting.splice(0, this.#options.batchLimit)
      if (this.#waiting.length === 0) this.#isHurried = false
      try {
        const results = await this.#options.commit(batch.map(({ item }) => item))
        const settle = () => {
          batch.forEach(({ resolve }, index) => {
            resolve(results[index] as Result)
          })
        }
        // First the next batch leaves, so that the database works on it while the callers of this one go on.
        if (this.#waiting.length > 0) setImmediate(settle)
        else settle()
      } catch (error) {
        if (this.#options.isolateFailures && batch.length > 1) await this.#commitSingly(batch)
        else for (const { reject } of batch) reject(error)
      }
    }
    this.#flushing = undefined
  }

  async #waitForMore(): Promise<void> {
    const { patienceMs = 0, batchLimit } = this.#options
    if (patienceMs === 0 || this.#isHurried || this.#waiting.length >= batchLimit) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, patienceMs)
      this.#endWait = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#endWait = undefined
  }

  async #commitSingly(batch: Waiting<Item, Result>[]): Promise<void> {
    for (const { item, resolve, reject } of batch) {
      try {
        resolve((await this.#options.commit([item]))[0] as Result)
      } catch (error) {
        reject(error)
      }
    }
  }
}
