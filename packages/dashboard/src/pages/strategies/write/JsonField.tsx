import { useEffect, useRef } from 'react'
import { Editor } from '../../../parts/editor/Editor.tsx'
import type { EditorHandle } from '../../../parts/editor/editor-types.ts'
import { asEdited } from '../../../parts/editor/positions.ts'
import styles from './write.module.css'

/** A field for JSON. It shows the characters that a plain field would obey, such as those that turn text around. */
export function JsonField({
  label,
  value,
  problem,
  onChange,
  onRun,
}: {
  label: string
  value: string
  problem: string | undefined
  onChange: (text: string) => void
  onRun: () => void
}) {
  const editor = useRef<EditorHandle>(null)
  useEffect(() => {
    const text = asEdited(value)
    if (editor.current !== null && editor.current.text() !== text) editor.current.replace(text)
  }, [value])
  return (
    <div className={styles.json}>
      <div className={styles.label} aria-hidden="true">
        {label}
      </div>
      <Editor
        label={`${label}, as JSON`}
        text={value}
        language="json"
        isShort
        handle={editor}
        onChange={(text) => {
          if (text !== asEdited(value)) onChange(text)
        }}
        onRun={onRun}
        onReady={() => {
          // It may have been filled in while the editor was loading.
          if (editor.current !== null && editor.current.text() !== asEdited(value))
            editor.current.replace(asEdited(value))
        }}
      />
      {problem && (
        <div className={styles.problem} role="alert">
          {problem}
        </div>
      )}
    </div>
  )
}
