import { AppError } from '../base/errors.ts'
import { Semaphore } from '../base/semaphore.ts'

/** Test runs that an account may have in progress. */
const runsPerAccount = 2

/** Limits the test runs in progress on this node, and those of each account to two. */
export class UnderWay {
  #places: Semaphore
  #ofAccount = new Map<number, number>()

  constructor(places: number) {
    this.#places = new Semaphore(places)
  }

  /** @throws {AppError} 429 if the account has two in progress */
  async run<T>(userId: number, work: () => Promise<T>): Promise<T> {
    const underWay = this.#ofAccount.get(userId) ?? 0
    if (underWay >= runsPerAccount) {
      throw new AppError(
        'rate_limited',
        `An account may have at most ${runsPerAccount} test runs at a time.`,
        {
          retryAfterSeconds: 1,
        },
      )
    }
    this.#ofAccount.set(userId, underWay + 1)
    const release = await this.#places.acquire()
    try {
      return await work()
    } finally {
      release()
      const left = this.#ofAccount.get(userId)! - 1
      if (left === 0) this.#ofAccount.delete(userId)
      else this.#ofAccount.set(userId, left)
    }
  }
}
