import { useSyncExternalStore } from 'react'

/** Whether the session has ended while a page was open. The page stays, so that no draft is lost. */
let hasEnded = false
const listeners = new Set<() => void>()

export function sessionEnded(): void {
  set(true)
}

export function sessionBegan(): void {
  set(false)
}

function set(value: boolean): void {
  if (hasEnded === value) return
  hasEnded = value
  for (const listener of listeners) listener()
}

export function sessionHasEnded(): boolean {
  return hasEnded
}

export function useSessionEnded(): boolean {
  return useSyncExternalStore(subscribe, sessionHasEnded)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
