import { type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react'
import { classes } from '../classes.ts'
import { Failure, Skeleton } from '../Notice.tsx'
import styles from './editor.module.css'
import type { EditorHandle, EditorOptions, Types } from './editor-types.ts'

export type EditorProps = {
  label: string
  /** The text that it begins with. To change it later, use `replace` of the handle. */
  text: string
  language?: 'javascript' | 'json'
  isReadOnly?: boolean
  /** A few lines instead of all the height that there is. */
  isShort?: boolean
  onChange?: (text: string) => void
  /** Ctrl or ⌘ with S. */
  onSave?: () => void
  /** Ctrl or ⌘ with Enter. */
  onRun?: () => void
  types?: () => Types | null
  /** Called once the editor is there. */
  onReady?: () => void
  handle?: Ref<EditorHandle | null>
}

const nothing = () => {}

/** An editor for code. It is loaded when it is first shown, and lives in a shadow root. */
export function Editor({ handle, isShort = false, ...props }: EditorProps) {
  const host = useRef<HTMLDivElement>(null)
  const latest = useRef(props)
  const [editor, setEditor] = useState<EditorHandle | null>(null)
  const [error, setError] = useState<unknown>(undefined)
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    latest.current = props
  })
  useImperativeHandle(handle, () => editor!, [editor])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt begins again
  useEffect(() => {
    let isGone = false
    let made: EditorHandle | undefined
    // Not later: React can take the element out of its reference before it ends this effect.
    const element = host.current!
    import('./code-editor.ts').then(
      ({ createEditor }) => {
        if (isGone) return
        made = createEditor(element.shadowRoot ?? element.attachShadow({ mode: 'open' }), optionsOf(latest))
        setEditor(made)
      },
      (thrown: unknown) => !isGone && setError(thrown),
    )
    return () => {
      isGone = true
      made?.destroy()
    }
  }, [attempt])
  useEffect(() => {
    // Only now has the handle the editor, so a text that changed meanwhile can replace it.
    if (editor !== null) latest.current.onReady?.()
  }, [editor])
  const retry = () => {
    setError(undefined)
    setAttempt(attempt + 1)
  }
  return (
    <div className={classes(styles.frame, isShort && styles.short)}>
      {error !== undefined && <Failure error={error} onRetry={retry} />}
      {editor === null && error === undefined && <Skeleton lines={isShort ? 2 : 8} />}
      <div ref={host} className={styles.host} />
    </div>
  )
}

/** The editor lives longer than one drawing of its page, so it asks for the latest functions. */
function optionsOf(latest: { current: Omit<EditorProps, 'handle' | 'isShort'> }): EditorOptions {
  const { label, text, language = 'javascript', isReadOnly = false } = latest.current
  return {
    ...{ label, text, language, isReadOnly },
    onChange: (changed) => (latest.current.onChange ?? nothing)(changed),
    onSave: () => (latest.current.onSave ?? nothing)(),
    onRun: () => (latest.current.onRun ?? nothing)(),
    types: () => latest.current.types?.() ?? null,
  }
}
