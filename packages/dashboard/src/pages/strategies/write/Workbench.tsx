import { ApiError } from '@tickwright/client'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useQuery } from '../../../data/use-query.ts'
import { Editor } from '../../../parts/editor/Editor.tsx'
import type { EditorHandle, Mark } from '../../../parts/editor/editor-types.ts'
import { knownTypes } from '../../../parts/editor/types/types.ts'
import { Failure, Skeleton } from '../../../parts/Notice.tsx'
import { CodeBar } from './CodeBar.tsx'
import { Drafts } from './Drafts.tsx'
import { isChanged } from './draft.ts'
import { type CodeKind, codeQuery, type Written } from './strategy.ts'
import { type Start, TestBench } from './TestBench.tsx'
import { useMarks } from './use-marks.ts'
import { useWriting } from './use-writing.ts'
import styles from './write.module.css'

/**
 * The code of a strategy or a reaction, with test runs beside it.
 * @param start the delivery or the run that a test run begins with
 */
export function Workbench({ kind, id, start = {} }: { kind: CodeKind; id: number; start?: Start }) {
  const { data, error, refetch } = useQuery(codeQuery(kind, id))
  if (data === undefined) {
    return error === null ? <Skeleton lines={12} /> : <Failure error={error} onRetry={() => void refetch()} />
  }
  return <Bench key={`${kind} ${id}`} kind={kind} record={data} start={start} />
}

function Bench({ kind, record, start }: { kind: CodeKind; record: Written; start: Start }) {
  const editor = useRef<EditorHandle>(null)
  const [isReady, setReady] = useState(false)
  const show = useCallback((text: string) => {
    if (editor.current !== null && editor.current.text() !== text) editor.current.replace(text)
  }, [])
  const { writing, isKept, saving, type, takeSaved } = useWriting(kind, record, show)
  const { text, base } = writing
  const problems = useMarks(kind, text, isReady ? editor : null)
  const isBusy = useRef(false)
  const save = () => {
    // What the user has not seen is not overwritten by a key: the notice has a button for that.
    if (writing.theirs !== null || !isChanged(writing)) return
    void saveNow()
  }
  const saveNow = async () => {
    if (isBusy.current) return
    isBusy.current = true
    await saving.mutateAsync().catch(() => {
      // `saving.error` shows it.
    })
    isBusy.current = false
  }
  const run = useRef(() => {})
  useKeys({ save, run: () => run.current() })
  const markRun = useCallback((marks: readonly Mark[]) => editor.current?.mark('run', marks), [])
  return (
    <div className={styles.bench}>
      <div className={styles.writing}>
        <CodeBar
          text={text}
          base={base}
          isChanged={isChanged(writing)}
          hasConflict={writing.theirs !== null}
          isSaving={saving.isPending}
          isSaved={saving.isSuccess}
          problems={problems}
          onSave={save}
          onShow={(offset) => editor.current?.reveal(offset)}
        />
        {saving.error !== null && !isConflict(saving.error) && <Failure error={saving.error} isChange />}
        <Drafts
          writing={writing}
          isKept={isKept}
          isSaving={saving.isPending}
          onTakeSaved={takeSaved}
          onKeepMine={() => void saveNow()}
        />
        <div className={styles.editor}>
          <Editor
            label="Code"
            text={text}
            handle={editor}
            types={knownTypes}
            onReady={() => setReady(true)}
            onChange={type}
            onSave={save}
            onRun={() => run.current()}
          />
        </div>
        <p className={styles.hint}>
          Tab indents; Escape, then Tab, leaves the editor. Ctrl or ⌘ with S saves, with Enter runs a test,
          with F searches. F8 goes to the next problem.
        </p>
      </div>
      <TestBench
        kind={kind}
        record={record}
        start={start}
        code={text}
        version={isChanged(writing) ? `your draft from version ${base.version}` : `version ${base.version}`}
        baseVersion={base.version}
        run={run}
        onMarks={markRun}
        onShow={(offset) => editor.current?.reveal(offset)}
      />
    </div>
  )
}

/** The notice about the other save says more. */
function isConflict(error: Error): boolean {
  return error instanceof ApiError && error.code === 'resource_conflict'
}

/** The keys work wherever the focus is, not only in the editor. */
function useKeys(actions: { save: () => void; run: () => void }): void {
  const latest = useRef(actions)
  useEffect(() => {
    latest.current = actions
  })
  useEffect(() => {
    const act = (event: KeyboardEvent) => {
      // The editor has done it already.
      if (event.defaultPrevented || !(event.ctrlKey || event.metaKey)) return
      const name = event.key === 'Enter' ? 'run' : event.key.toLowerCase() === 's' ? 'save' : undefined
      if (name === undefined || event.shiftKey || event.altKey) return
      event.preventDefault()
      latest.current[name]()
    }
    document.addEventListener('keydown', act)
    return () => document.removeEventListener('keydown', act)
  }, [])
}
