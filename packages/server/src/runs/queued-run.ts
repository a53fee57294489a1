import type { ActionName, LastTrigger } from '@tickwright/sandbox'
import type { RunTrigger, SignalOptions } from '../db/schema.ts'
import type { Stored } from '../live/changes.ts'

/** A stored run that waits for its turn, with the input of its code. */
export type QueuedRun = {
  id: number
  strategyId: number
  /** The strategy's latest run that any node stored before the batch of this one; 0 for none. */
  previousId: number
  /** The version of the strategy when the run was stored, or a later one. */
  version: number
  trigger: RunTrigger
  /** The payload that triggered the run, byte for byte; `null` for runs without a delivery. */
  request: { data: string; headers: Record<string, string>; ip: string } | null
  /** The signal that an earlier, interrupted execution of this run has committed. */
  earlierSignal: EarlierSignal | null
  /** What its record says besides, if this node has just stored the run. */
  stored?: StoredWith
  /** Set if an earlier execution has asked for approval of its action. */
  askedEarlier?: true
}

export type StoredWith = { deliveryId: number; queuedAtMs: number }

/** A run that this node has just stored, for live streams. */
export type JustQueued = Stored & { queued: StoredWith & Pick<QueuedRun, 'id' | 'strategyId' | 'trigger'> }

/** `undefined` if only the database knows all of the run's record. */
export function justQueued({ id, strategyId, trigger, stored }: QueuedRun): JustQueued | undefined {
  return stored && { queued: { id, strategyId, trigger, ...stored }, sizeBytes: 300, goesOn: true }
}

export type EarlierSignal = {
  id: number
  action: ActionName
  symbols: string[]
  price: number | null
  at: number
  delivered: boolean
  options: SignalOptions
  /** The strategy's last trigger when that execution began. */
  previousTrigger: LastTrigger
}

/** The approximate memory of a waiting run. */
export function sizeBytes(run: QueuedRun): number {
  return 500 + 2 * (run.request?.data.length ?? 0)
}
