import { useSyncExternalStore } from 'react'

/** Whether the window is as narrow as that of a phone. It follows a window that changes, such as a phone that is turned. */
export function useIsPhone(): boolean {
  return useSyncExternalStore(phone.subscribe, phone.matches)
}

/** Whether the window has room for a list and a detail beside it. */
export function useHasRoomBeside(): boolean {
  return useSyncExternalStore(wide.subscribe, wide.matches)
}

const phone = media('(max-width: 640px)')
const wide = media('(min-width: 1100px)')

function media(query: string) {
  const list = matchMedia(query)
  const subscribe = (listener: () => void) => {
    list.addEventListener('change', listener)
    return () => list.removeEventListener('change', listener)
  }
  return { matches: () => list.matches, subscribe }
}
