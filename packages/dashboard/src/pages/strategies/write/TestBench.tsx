import { useMutation } from '@tanstack/react-query'
import type { TestRun } from '@tickwright/client'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { serviceNow } from '../../../base/service-time.ts'
import { Button } from '../../../parts/Button.tsx'
import type { Mark } from '../../../parts/editor/editor-types.ts'
import { offsetOf } from '../../../parts/editor/positions.ts'
import { Failure, Notice } from '../../../parts/Notice.tsx'
import { type CodeKind, operationsOf, type Written } from './strategy.ts'
import { TestFields } from './TestFields.tsx'
import { TestResult } from './TestResult.tsx'
import { bodyOf, describeInput, firstInput, problemsOf, type TestInput } from './test-input.ts'
import { type Start, useStart } from './use-start.ts'
import styles from './write.module.css'

export type { Start } from './use-start.ts'

/** What a test run ran, and what came of it. */
type Ran = { code: string; about: string; result: TestRun }

/** Test runs of the code as it is in the editor: they send no signal and store nothing. */
export function TestBench({
  kind,
  record,
  start,
  code,
  version,
  baseVersion,
  run,
  onMarks,
  onShow,
}: {
  kind: CodeKind
  record: Written
  start: Start
  code: string
  /** Which code runs, in words. */
  version: string
  /** The version that the editor began with. */
  baseVersion: number
  /** Gets the function that runs a test, for keys. */
  run: RefObject<() => void>
  onMarks: (marks: readonly Mark[]) => void
  onShow: (offset: number) => void
}) {
  const [input, setInput] = useState<TestInput>(firstInput)
  const [isTried, setTried] = useState(false)
  const hasPayload = kind === 'reaction'
  const present = { version: baseVersion, usesPrice: record.use_price }
  const { note, error: startError } = useStart(start, hasPayload, present, (change) =>
    setInput((old) => ({ ...old, ...change })),
  )
  const problems = problemsOf(input, hasPayload)
  const isBusy = useRef(false)
  const testing = useMutation({
    mutationFn: async (): Promise<Ran> => {
      const about = describeInput(input, hasPayload, present)
      const body = bodyOf(input, code, hasPayload, new Date(serviceNow()))
      return {
        code,
        about: `${version} with ${about}`,
        result: await operationsOf(kind).test(record.id, body),
      }
    },
    onSuccess: ({ code, result }) => onMarks(marksOf(code, result)),
  })
  const runTest = async () => {
    setTried(true)
    if (isBusy.current || Object.keys(problems).length > 0) return
    isBusy.current = true
    await testing.mutateAsync().catch(() => {
      // `testing.error` shows it.
    })
    isBusy.current = false
  }
  useEffect(() => {
    run.current = () => void runTest()
  })
  return (
    <section className={styles.testing} aria-label="Test run">
      <header className={styles.bar}>
        <h2>Test run</h2>
        <Button isBusy={testing.isPending} onClick={() => void runTest()}>
          Run
        </Button>
      </header>
      {note !== null && <Notice>{note}</Notice>}
      {startError !== null && <Failure error={startError} />}
      <TestFields
        kind={kind}
        record={record}
        input={input}
        problems={isTried ? problems : {}}
        onChange={(change) => setInput((old) => ({ ...old, ...change }))}
        onRun={() => void runTest()}
      />
      {testing.error !== null && <Failure error={testing.error} />}
      <div aria-live="polite" aria-busy={testing.isPending}>
        {testing.data !== undefined && (
          <TestResult
            ran={testing.data}
            isOld={testing.data.code !== code}
            onShow={(place) => onShow(offsetOf(testing.data.code, place))}
          />
        )}
      </div>
    </section>
  )
}

/** Marks the error of a test run in the code that it ran. */
function marksOf(code: string, { error }: TestRun): Mark[] {
  if (error === null || error.line === null) return []
  const from = offsetOf(code, { line: error.line, column: error.column ?? 1 })
  return [{ from, severity: 'error', message: `In the test run: ${error.name}: ${error.message}` }]
}
