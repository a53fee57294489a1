import { useSyncExternalStore } from 'react'

/** Whether the window is as narrow as that of a phone. It follows a window that changes, such as a phone that is turned. */
export function useIsPhone(): boolean {
  return useSyncExternalStore(subscribe, () => narrow.matches)
}

const narrow = matchMedia('(max-width: 640px)')

function subscribe(listener: () => void): () => void {
  narrow.addEventListener('change', listener)
  return () => narrow.removeEventListener('change', listener)
}
