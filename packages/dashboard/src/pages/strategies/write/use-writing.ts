import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { ApiError } from '@tickwright/client'
import { useCallback, useEffect, useRef, useState } from 'react'
import { serviceNow } from '../../../base/service-time.ts'
import { meQuery } from '../../../data/queries.ts'
import { useQuery } from '../../../data/use-query.ts'
import { begin, heard, isChanged, stored, tagToSave, takeSaved, type Writing } from './draft.ts'
import { keepDraft, keptDraft } from './draft-store.ts'
import { type CodeKind, codeQuery, operationsOf, savedOf, type Written } from './strategy.ts'

/** A draft is kept when its writer pauses this long. */
const pauseMs = 300

/** The text of the editor, its draft in the browser, and saving. `onReplaced`: the editor should show another text. */
export function useWriting(kind: CodeKind, record: Written, onReplaced: (text: string) => void) {
  const { id } = record
  const { data: me } = useSuspenseQuery(meQuery)
  const queries = useQueryClient()
  const [writing, setWriting] = useState(() => begin(savedOf(record), keptDraft(me.id, id)))
  const [isKept, setKept] = useState(true)
  // Saving goes on over several answers, and typing goes on meanwhile: both need what is true now.
  const now = useRef(writing)
  const change = useCallback(
    (next: Writing) => {
      const { text } = now.current
      now.current = next
      setWriting(next)
      if (next.text !== text) onReplaced(next.text)
    },
    [onReplaced],
  )

  const keep = useCallback(() => {
    const { text, base, restored } = now.current
    const version = restored?.version ?? base.version
    setKept(keepDraft(me.id, id, isChanged(now.current) ? { text, version, at: serviceNow() } : null))
  }, [me.id, id])
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change begins a new pause
  useEffect(() => {
    const timer = setTimeout(keep, pauseMs)
    return () => clearTimeout(timer)
  }, [keep, writing.text, writing.base])
  useEffect(() => {
    // The last of these that a closing page is sure to get.
    const keepHidden = () => document.visibilityState === 'hidden' && keep()
    document.addEventListener('visibilitychange', keepHidden)
    addEventListener('pagehide', keep)
    return () => {
      document.removeEventListener('visibilitychange', keepHidden)
      removeEventListener('pagehide', keep)
      keep()
    }
  }, [keep])

  const latest = useQuery(codeQuery(kind, id))
  useEffect(() => {
    if (latest.data !== undefined) change(heard(now.current, savedOf(latest.data)))
  }, [latest.data, change])

  const saving = useMutation({
    mutationFn: async () => {
      const send = () =>
        operationsOf(kind).update(id, { code: now.current.text }, { ifMatch: tagToSave(now.current) })
      const answer = await send().catch(async (error: unknown) => {
        if (!(error instanceof ApiError) || error.code !== 'resource_conflict') throw error
        change(heard(now.current, savedOf(await operationsOf(kind).get(id))))
        // Only other settings have changed: they are not touched, so the save may go on.
        if (now.current.theirs === null) return send()
        throw error
      })
      change(stored(now.current, savedOf(answer)))
      keep()
      // What was read meanwhile may be newer: someone else has saved after this.
      queries.setQueryData(codeQuery(kind, id).queryKey, (read) =>
        read !== undefined && savedOf(read).version > savedOf(answer).version ? read : answer,
      )
    },
  })
  return {
    writing,
    isKept,
    saving,
    type: (text: string) => {
      now.current = { ...now.current, text }
      setWriting(now.current)
    },
    takeSaved: () => {
      saving.reset()
      change(takeSaved(now.current))
    },
  }
}
