/** Makes seeds of random numbers. */

const pool = new Uint32Array(512)
let used = pool.length

/** A random whole number with 53 bits. Nobody can guess it; runs of a strategy share none. */
export function newSeed(): number {
  if (used === pool.length) {
    crypto.getRandomValues(pool)
    used = 0
  }
  const high = pool[used]! >>> 11
  const low = pool[used + 1]!
  used += 2
  return high * 2 ** 32 + low
}
