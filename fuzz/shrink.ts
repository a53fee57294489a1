/**
 * Makes an input as short and its bytes as simple as possible while it still fails. Calls `fails` at most `tries` times.
 */
export async function shrink(
  input: Buffer,
  fails: (input: Buffer) => Promise<boolean>,
  tries: number,
): Promise<Buffer> {
  let best = input
  const attempt = async (candidate: Buffer) => {
    if (tries-- <= 0 || !(await fails(candidate))) return false
    best = candidate
    return true
  }
  let length = Math.ceil(best.length / 2)
  while (length >= 1 && tries > 0) {
    let removed = false
    for (let at = 0; at < best.length && tries > 0; ) {
      const shorter = Buffer.concat([best.subarray(0, at), best.subarray(at + length)])
      if (await attempt(shorter)) removed = true
      else at += length
    }
    if (length > 1) length = Math.ceil(length / 2)
    else if (!removed) break
  }
  for (let at = 0; at < best.length && tries > 0; at++) {
    if (best[at] === dull) continue
    const duller = Buffer.from(best)
    duller[at] = dull
    await attempt(duller)
  }
  return best
}

const dull = '0'.charCodeAt(0)
