import { forget, keep, kept } from '../base/kept.ts'

const name = 'stream-held'
/** A tab says every five seconds that it holds the stream. One that was ended by force cannot take its word back. */
const staleMs = 15_000

/**
 * What tabs say of who holds the stream, which a new one can read before it has asked for the lock. It is only a hint:
 * the lock decides.
 */
export const holding = {
  /** Whether another tab says that it holds the stream. Without locks, each tab has one of its own. */
  isSaid: () => {
    const age = Date.now() - Number(kept(name) ?? 0)
    return navigator.locks !== undefined && age >= 0 && age < staleMs
  },
  say: () => keep(name, String(Date.now())),
  end: () => forget(name),
}
