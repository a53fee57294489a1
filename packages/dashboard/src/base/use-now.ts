import { useSyncExternalStore } from 'react'
import { serviceNow } from './service-time.ts'

/** One timer for all that shows a distance in time, so that a page with a thousand of them has one. */
const clocks = new Map<number, Clock>()

/** The time of the service, which changes each `intervalMs`. It stands still while nobody sees the page. */
export function useNow(intervalMs: number): number {
  const clock = clocks.get(intervalMs) ?? makeClock(intervalMs)
  clocks.set(intervalMs, clock)
  return useSyncExternalStore(clock.subscribe, clock.read)
}

type Clock = { subscribe(listener: () => void): () => void; read(): number }

function makeClock(intervalMs: number): Clock {
  const listeners = new Set<() => void>()
  let now = serviceNow()
  let timer: ReturnType<typeof setInterval> | undefined
  const tick = () => {
    now = serviceNow()
    for (const listener of listeners) listener()
  }
  const follow = () => {
    clearInterval(timer)
    timer = undefined
    if (listeners.size === 0 || document.hidden) return
    tick()
    timer = setInterval(tick, intervalMs)
  }
  document.addEventListener('visibilitychange', follow)
  return {
    subscribe(listener) {
      listeners.add(listener)
      if (listeners.size === 1) {
        now = serviceNow()
        timer ??= setInterval(tick, intervalMs)
      }
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) follow()
      }
    },
    read: () => now,
  }
}
