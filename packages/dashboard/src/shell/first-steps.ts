import { useSyncExternalStore } from 'react'
import { keep, kept } from '../base/kept.ts'

/** Whether the rail leads to the first steps. Users hide them once they know their way; the browser keeps that. */

const keptName = 'first-steps'
const listeners = new Set<() => void>()

export function hideFirstSteps(isHidden: boolean): void {
  keep(keptName, isHidden ? 'hidden' : 'shown')
  for (const listener of listeners) listener()
}

export function useFirstStepsHidden(): boolean {
  return useSyncExternalStore(subscribe, () => kept(keptName) === 'hidden')
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
