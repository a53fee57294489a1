import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { changesOf, type Draft, draftOf } from './draft.ts'
import type { CodeKind } from './kinds.ts'
import { codeOf, type Strategy, strategyQuery } from './strategies.ts'

/** The settings of a strategy while one edits them. */
export type Editing = {
  draft: Draft
  change: (changed: Partial<Draft>) => void
  isChanged: boolean
  /** Someone else has saved since the form began: what they have saved. */
  theirs: Strategy | null
  /** What the form began with. */
  base: Strategy
  /** Takes what is stored, and gives up what was typed. */
  load: () => void
  /** Saves what was changed, if nobody else has saved since; with `over`, over what they have saved. */
  save: (over?: Strategy) => Promise<void>
}

/**
 * Lets a form edit a strategy without overwriting others. The form follows what is stored until something is typed;
 * from then on, it keeps what it began with.
 */
export function useDraft(kind: CodeKind, strategy: Strategy): Editing {
  const queries = useQueryClient()
  const [base, setBase] = useState(strategy)
  const [draft, setDraft] = useState(() => draftOf(strategy))
  const changes = changesOf(kind, draft, draftOf(base))
  const isChanged = Object.keys(changes).length > 0
  const begin = (with_: Strategy) => {
    setBase(with_)
    setDraft(draftOf(with_))
  }
  if (!isChanged && strategy !== base) begin(strategy)
  return {
    draft,
    base,
    change: (changed) => setDraft((draft) => ({ ...draft, ...changed })),
    isChanged,
    theirs: isChanged && strategy.etag !== base.etag ? strategy : null,
    load: () => begin(strategy),
    save: async (over) => {
      const { queryKey } = strategyQuery(kind, strategy.id)
      try {
        const saved = await codeOf[kind].update(strategy.id, changes, { ifMatch: (over ?? base).etag })
        await queries.cancelQueries({ queryKey })
        queries.setQueryData(queryKey, saved)
        begin(saved)
      } finally {
        // If it was refused, this shows what others have saved.
        void queries.invalidateQueries({ queryKey: ['strategies'] })
      }
    },
  }
}
