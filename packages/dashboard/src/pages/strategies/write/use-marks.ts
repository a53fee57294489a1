import { keepPreviousData } from '@tanstack/react-query'
import { type RefObject, useEffect, useState } from 'react'
import { useQuery } from '../../../data/use-query.ts'
import type { EditorHandle, Mark } from '../../../parts/editor/editor-types.ts'
import { offsetOf } from '../../../parts/editor/positions.ts'
import { knownTypes, loadTypes } from '../../../parts/editor/types/types.ts'
import { type CodeKind, operationsOf } from './strategy.ts'

/** The code is checked when its writer pauses this long. */
const pauseMs = 250

/**
 * Marks what a save would refuse, with what to do instead: the service checks the code while it is written, by the same
 * rules as a save. The answer for the latest text wins.
 * @param editor `null` until the editor is there
 * @returns the problems of the latest checked text; `null` before the first answer
 */
export function useMarks(kind: CodeKind, text: string, editor: RefObject<EditorHandle | null> | null) {
  const [paused, setPaused] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), pauseMs)
    return () => clearTimeout(timer)
  }, [text])
  const { data } = useQuery({
    queryKey: ['code-check', kind, paused],
    queryFn: async () => ({
      text: paused,
      marks: marksOf(paused, (await operationsOf(kind).check({ code: paused })).problems),
    }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    placeholderData: keepPreviousData,
  })
  useEffect(() => {
    // The places of an older text would be wrong; the editor has moved the older marks along.
    const view = editor?.current
    if (view && data !== undefined && data.text === view.text()) view.mark('check', data.marks)
  }, [data, editor])
  useTypeMarks(paused, editor)
  return data?.marks ?? null
}

/** Marks what contradicts the types of `$`, once those are there. It may still run, so these are warnings. */
function useTypeMarks(paused: string, editor: RefObject<EditorHandle | null> | null): void {
  const [isLoaded, setLoaded] = useState(knownTypes() !== null)
  useEffect(() => {
    if (editor !== null) void loadTypes().then(() => setLoaded(true))
  }, [editor])
  useEffect(() => {
    const view = editor?.current
    if (!isLoaded || !view) return
    let isOld = false
    knownTypes()
      ?.check(paused)
      .then(
        (marks) => !isOld && paused === view.text() && view.mark('types', marks),
        // Without the types, the code has no such marks.
        () => view.mark('types', []),
      )
    return () => {
      isOld = true
    }
  }, [paused, isLoaded, editor])
}

type Problem = { message: string; remedy: string | null; line: number; column: number }

function marksOf(text: string, problems: readonly Problem[]): Mark[] {
  return problems.map(({ message, remedy, line, column }) => ({
    from: offsetOf(text, { line, column }),
    severity: 'error',
    message,
    remedy,
  }))
}
