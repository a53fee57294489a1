import type { LastTrigger } from '@tickwright/sandbox'
import type { Standing } from './standing.ts'
import { nextViolationCount, suspensionMs } from './suspension.ts'

type MutableState = {
  active: boolean
  /** JSON text; `null` if the strategy has stored nothing, and always for an AI strategy. */
  storage: string | null
  lastTrigger: LastTrigger
  /** Unix ms; 0 if the strategy was never suspended. */
  suspendedUntilMs: number
  violationCount: number
  /** Unix ms; 0 if there was no violation. */
  lastViolationAtMs: number
}

/**
 * The values of a strategy that its runs change, kept in memory while this node holds it. Only the functions of this
 * file change them. The journal writes the same changes to the database.
 */
export type StrategyState = Readonly<MutableState>

export function setStorage(state: MutableState, storage: string): void {
  state.storage = storage
}

export function setLastTrigger(state: MutableState, lastTrigger: LastTrigger): void {
  state.lastTrigger = lastTrigger
}

export function switchOff(state: MutableState): void {
  state.active = false
}

/** @param standing the strategy as it is stored now; `undefined` if it was deleted */
export function refresh(state: MutableState, standing: Standing | undefined): void {
  state.active = standing?.isActive ?? false
  if (standing !== undefined) state.lastTrigger = standing.lastTrigger
}

/** Suspends the strategy from `nowMs` on, for longer after each violation. */
export function suspend(state: MutableState, nowMs: number): void {
  state.violationCount = nextViolationCount(state.violationCount, state.lastViolationAtMs, nowMs)
  state.lastViolationAtMs = nowMs
  state.suspendedUntilMs = nowMs + suspensionMs(state.violationCount)
}
