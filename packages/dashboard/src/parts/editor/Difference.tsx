import { useEffect, useRef, useState } from 'react'
import { Failure, Skeleton } from '../Notice.tsx'
import styles from './editor.module.css'

/** What differs between two texts: lines that went are red and say so, lines that came are green. */
export function Difference({
  label,
  before,
  after,
  language = 'javascript',
}: {
  label: string
  before: string
  after: string
  language?: 'javascript' | 'json'
}) {
  const host = useRef<HTMLElement>(null)
  const [error, setError] = useState<unknown>(undefined)
  const [isThere, setThere] = useState(false)
  useEffect(() => {
    let isGone = false
    let end: (() => void) | undefined
    // Not later: React can take the element out of its reference before it ends this effect.
    const element = host.current!
    import('./difference.ts').then(
      ({ showDifference }) => {
        if (isGone) return
        const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' })
        end = showDifference(root, { label, before, after, language })
        setThere(true)
      },
      (thrown: unknown) => !isGone && setError(thrown),
    )
    return () => {
      isGone = true
      end?.()
    }
  }, [label, before, after, language])
  if (error !== undefined) return <Failure error={error} />
  return (
    <div className={styles.difference}>
      {!isThere && <Skeleton lines={3} />}
      <section ref={host} />
    </div>
  )
}
