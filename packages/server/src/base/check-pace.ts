import { LRUCache } from 'lru-cache'
import { Semaphore } from './semaphore.ts'
import { keepPace, TokenBuckets } from './token-buckets.ts'

/** As many as an account may have connections, so that nobody who sets up an installation waits. */
const burst = 50
const aSecond = 0.2
/** A check has all markets of an exchange in memory, which is up to 100 MB while they are read. */
const atOnce = 3

/**
 * Holds back checks of credentials: an exchange bans the address of a machine that asks too often, and with it all who
 * trade from there. An account has one check under way; its others wait, and nobody else's do for them.
 */
export class CheckPace {
  #buckets = new TokenBuckets(aSecond, burst)
  #ofAccount = new LRUCache<number, Semaphore>({ max: 10_000 })
  #places = new Semaphore(atOnce)

  /** @throws {AppError} 429 when the account has asked too often */
  async run<T>(userId: number, check: () => Promise<T>): Promise<T> {
    keepPace(this.#buckets, userId, 'Too many credentials were checked in too short a time.')
    let own = this.#ofAccount.get(userId)
    if (own === undefined) {
      own = new Semaphore(1)
      this.#ofAccount.set(userId, own)
    }
    return within(own, () => within(this.#places, check))
  }
}

async function within<T>(semaphore: Semaphore, action: () => Promise<T>): Promise<T> {
  const release = await semaphore.acquire()
  try {
    return await action()
  } finally {
    release()
  }
}
