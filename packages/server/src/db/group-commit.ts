export type GroupCommitOptions<Item, Result> = {
  /** Writes a batch in one transaction and answers one result an item, in order. All or nothing. */
  commit(batch: Item[]): Promise<Result[]>
  /** Items in one batch at the most. */
  batchLimit: number
  /**
   * Whether a failed batch is tried again item by item, so that one item the database refuses does not take
   * its neighbours with it. Needs a `commit` that left nothing behind when it failed.
   */
  isolateFailures: boolean
}

type Waiting<Item, Result> = {
  item: Item
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

/**
 * Gathers what arrives while a commit is under way, and sends it out together in the next: under load a
 * commit is shared by many, and an item that arrives alone waits for nobody. There is no timer. Items are
 * committed in the order in which they were submitted.
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

  /** Resolves when nothing is waiting or under way. */
  async drain(): Promise<void> {
    while (this.#flushing !== undefined) await this.#flushing
  }

  async #flush(): Promise<void> {
    // What else arrives in this turn of the event loop goes along.
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
