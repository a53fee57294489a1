import { type RefObject, useLayoutEffect, useState } from 'react'

/** Whether an element is narrower than this, as its place on the page changes. */
export function useIsNarrower(element: RefObject<HTMLElement | null>, widthPx: number): boolean {
  const [isNarrower, setNarrower] = useState(false)
  useLayoutEffect(() => {
    const look = () => setNarrower(element.current!.clientWidth < widthPx)
    look()
    const observer = new ResizeObserver(look)
    observer.observe(element.current!)
    return () => observer.disconnect()
  }, [element, widthPx])
  return isNarrower
}
