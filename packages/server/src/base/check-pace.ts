import { latestUsed } from './latest-used.ts'
import { Semaphore } from './semaphore.ts'
import { keepPace, TokenBuckets } from './token-buckets.ts'

/** As many as an account may have connections, so that nobody waits while setting up an installation. */
const burst = 50
const aSecond = 0.2
/** A check reads all markets of an exchange, which needs up to 100 MB of memory. */
const atOnce = 3

/**
 * Limits checks of credentials: an exchange bans the address of a machine that asks too often, and then nobody can trade
 * from there. Each account has one check at a time. Its other checks wait, without delaying other accounts.
 */
export class CheckPace {
  #buckets = new TokenBuckets(aSecond, burst)
  #ofAccount = latestUsed<number, Semaphore>(10_000)
  #places = new Semaphore(atOnce)

  /** @throws {AppError} 429 if the account has asked too often */
  async run<T>(userId: number, check: () => Promise<T>): Promise<T> {
    keepPace(this.#buckets, userId, 'Too many checks of credentials. Wait a moment.')
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
