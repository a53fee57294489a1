import type { CurrentPrice, LastTrigger } from '@tickwright/sandbox'
import type { StoredSeen } from '../db/schema.ts'
import type { Claim } from './held-strategy.ts'

/** What the code of a run found besides its payload, its variables and the market. */
export type Seen = {
  price: CurrentPrice | null
  /** JSON text; `null` if nothing was stored. */
  storage: string | null
  lastTrigger: LastTrigger
}

/** A record keeps a storage of this many characters in any case: that costs about as much as its other fields. */
const smallLength = 512
/** Of a strategy that fails with each payload, records keep one large storage in this time. */
const pauseMs = 10_000
/** Retention deletes old records first. So the record that has a storage must not be much older than one that refers to it. */
const referenceMs = 3_600_000

/**
 * What the record of a run keeps of what its code saw; `null`: nothing. The price is small. A large storage would cost
 * more than everything else that the end of a run writes, so only runs that failed keep it: people try those again. If
 * the run before saw the same, the record refers to it.
 */
export function seenToKeep(
  { runId, claim }: { runId: number; claim: Claim },
  { price, storage, lastTrigger }: Seen,
  hasFailed: boolean,
  nowMs: number,
): StoredSeen | null {
  const seen: StoredSeen = price === null ? {} : { price }
  const kept = storageToKeep(runId, claim, storage ?? 'null', hasFailed, nowMs)
  if (kept !== null) {
    Object.assign(seen, kept)
    if (lastTrigger.action !== null) seen.lastTrigger = lastTrigger
  }
  return price === null && kept === null ? null : seen
}

function storageToKeep(
  runId: number,
  claim: Claim,
  storage: string,
  hasFailed: boolean,
  nowMs: number,
): Pick<StoredSeen, 'storage' | 'storageOf'> | null {
  if (storage.length <= smallLength) return { storage }
  if (!hasFailed) return null
  const last = claim.lastKept
  if (last !== null && last.storage === storage && nowMs - last.atMs < referenceMs)
    return { storageOf: last.runId }
  if (last !== null && nowMs - last.atMs < pauseMs) return null
  claim.lastKept = { runId, storage, atMs: nowMs }
  return { storage }
}
