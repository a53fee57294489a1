import { useCallback, useEffect, useRef } from 'react'

/** A function that does its work at most once in each interval: at its beginning, and at its end if asked again. */
export function useThrottled(work: () => void, intervalMs: number): () => void {
  const latest = useRef({ work, intervalMs })
  useEffect(() => {
    latest.current = { work, intervalMs }
  })
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const isAsked = useRef(false)
  useEffect(() => () => clearTimeout(timer.current), [])
  return useCallback(() => {
    const begin = () => {
      isAsked.current = false
      latest.current.work()
      timer.current = setTimeout(() => {
        timer.current = undefined
        if (isAsked.current) begin()
      }, latest.current.intervalMs)
    }
    if (timer.current === undefined) begin()
    else isAsked.current = true
  }, [])
}
