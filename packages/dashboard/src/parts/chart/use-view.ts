import { type RefObject, useEffect, useRef, useState } from 'react'
import { onColours } from './colours.ts'

/** What draws in an element. */
type View = { recolour(): void; remove(): void }

/**
 * Draws with the chart library, which comes with the first chart.
 * @param key when it changes, the view is made again
 * @param load the file that has the library
 * @returns `element`: for the element to draw in; `view`: `null` until it is there; `error`: why it will not be
 */
export function useView<Module, Made extends View>(
  key: string,
  load: () => Promise<Module>,
  make: (module: Module, element: HTMLElement) => Made,
): { element: RefObject<HTMLDivElement | null>; view: Made | null; error: unknown } {
  const element = useRef<HTMLDivElement>(null)
  const [view, setView] = useState<Made | null>(null)
  const [error, setError] = useState<unknown>(undefined)
  const latest = useRef({ load, make })
  useEffect(() => {
    latest.current = { load, make }
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: another key is another view
  useEffect(() => {
    let made: Made | undefined
    let isGone = false
    // Not later: React can take the element out of its reference before it ends this effect.
    const shown = element.current!
    latest.current.load().then((module) => {
      if (isGone) return
      made = latest.current.make(module, shown)
      setView(made)
    }, setError)
    const end = onColours(() => made?.recolour())
    return () => {
      isGone = true
      end()
      setView(null)
      made?.remove()
    }
  }, [key])
  return { element, view, error }
}
