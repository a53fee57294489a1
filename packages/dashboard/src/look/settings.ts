import { useSyncExternalStore } from 'react'
import { keep, kept } from '../base/kept.ts'

/** How the user wants the pages to look. A browser keeps it, for all its tabs. */
export type Look = {
  theme: 'system' | 'light' | 'dark'
  /** `blue-orange` is for people who cannot tell teal from red. */
  profitColours: 'teal-red' | 'blue-orange'
}

let current = readLook()
const listeners = new Set<() => void>()

function readLook(): Look {
  const theme = kept('theme')
  return {
    theme: theme === 'light' || theme === 'dark' ? theme : 'system',
    profitColours: kept('profit-colours') === 'blue-orange' ? 'blue-orange' : 'teal-red',
  }
}

export function useLook(): Look {
  return useSyncExternalStore(subscribe, () => current)
}

/** Changes what is given, at once and in all tabs. */
export function changeLook(change: Partial<Look>): void {
  const { theme, profitColours } = { ...current, ...change }
  keep('theme', theme)
  keep('profit-colours', profitColours)
  apply()
}

/** Gives the document the look that the user has chosen, and follows what other tabs choose. */
export function startLook(): void {
  apply()
  addEventListener('storage', apply)
}

function apply(): void {
  current = readLook()
  const { theme, profitColours } = current
  Object.assign(document.documentElement.dataset, { theme, profitColours })
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
