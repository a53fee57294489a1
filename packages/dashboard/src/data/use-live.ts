import type { LiveKind, LiveRecords } from '@tickwright/client'
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { type LiveState, live } from './live.ts'

/** Calls `listener` with each event of this kind while the component is shown. */
export function useEvents<Kind extends LiveKind>(
  kind: Kind,
  listener: (data: LiveRecords[Kind]) => void,
): void {
  const latest = useRef(listener)
  useEffect(() => {
    latest.current = listener
  })
  useEffect(
    () =>
      live.listen((event) => {
        if (event.kind === kind) latest.current(event.data as never)
      }),
    [kind],
  )
}

/** Whether what pages show is current. */
export function useLiveState(): LiveState {
  return useSyncExternalStore(live.subscribeState, live.state)
}
