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
}

type Waiting<Item, Result> = {
  item: Item
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

/**
 * Collects the items that arrive during a commit, and commits them together in the next one. Under load, many items
 * share a commit; an item that arrives alone does not wait. There is no timer. Items are committed in the order in which
 * they were submitted.
 */
export class GroupCommit<Item, Result> {
  #options: GroupCommitOptions<Item, Result>
  #waiting: Waiting<Item, Result>[] = []
  #flushing: Promise<void> | undefined

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
      this.#flushing ??= this.#flush()
    })
  }

  /** Resolves when no item is waiting or being committed. */
  async drain(): Promise<void> {
    while (this.#flushing !== undefined) await this.#flushing
  }

  async #flush(): Promise<void> {
    // Other items of this turn of the event loop join the batch.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.#options.batchLimit)
      try {
        const results = await this.#options.commit(batch.map(({ item }) => item))
        batch.forEach(({ resolve }, index) => {
          resolve(results[index] as Result)
        })
      } catch (error) {
        if (this.#options.isolateFailures && batch.length > 1) await this.#commitSingly(batch)
        else for (const { reject } of batch) reject(error)
      }
    }
    this.#flushing = undefined
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
