import type { ActionName, LastTrigger } from '@tickwright/sandbox'
import type { RunTrigger, SignalOptions } from '../db/schema.ts'

/** A run that is stored and waits for its turn, with what its code will be given. */
export type QueuedRun = {
  id: number
  strategyId: number
  /** The last run of the strategy, of whatever node, that was stored before this one's batch; 0 for none. */
  previousId: number
  /** The version of the strategy that was stored when the run was, or later. */
  version: number
  trigger: RunTrigger
  /** What a data webhook delivered, byte for byte; `null` for runs that no delivery caused. */
  request: { data: string; headers: Record<string, string>; ip: string } | null
  /** The signal that an earlier, interrupted execution of this very run has committed. */
  earlierSignal: EarlierSignal | null
  /** That such an execution has asked for approval of its action; absent where none has. */
  askedEarlier?: true
}

export type EarlierSignal = {
  id: number
  action: ActionName
  symbols: string[]
  price: number | null
  at: number
  delivered: boolean
  options: SignalOptions
  /** What the strategy's last trigger was when that execution began. */
  previousTrigger: LastTrigger
}

/** About what a waiting run takes in memory. */
export function sizeBytes(run: QueuedRun): number {
  return 500 + 2 * (run.request?.data.length ?? 0)
}
