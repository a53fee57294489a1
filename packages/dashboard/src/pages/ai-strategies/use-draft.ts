import { useState } from 'react'
import { forget, keep, kept } from '../../base/kept.ts'
import { serviceNow } from '../../base/service-time.ts'
import { changed, conflictOf, type Draft, readDraft, rebased } from './draft.ts'
import type { Fields } from './fields.ts'

type Saved = { fields: Fields; etag: string | null }

/**
 * The fields of a form, with what was typed and not saved. The browser keeps that.
 * @param key names the draft in the browser
 * @param saved what the service has now
 */
export function useDraft(key: string, saved: Saved) {
  const [draft, setDraft] = useState<Draft | null>(() => readDraft(kept(key)))
  const store = (next: Draft | null) => {
    if (next === null) forget(key)
    else keep(key, JSON.stringify(next))
    setDraft(next)
  }
  const isOld = draft !== null && draft.etag !== saved.etag
  const conflict = isOld ? conflictOf(draft, saved) : null
  // What others saved may be none of these fields, such as the folder: then nobody has to decide.
  if (isOld && conflict?.theirs.length === 0) store(withoutEmpty(rebased(draft, saved), saved))
  return {
    draft,
    fields: draft?.fields ?? saved.fields,
    conflict: conflict !== null && conflict.theirs.length > 0 ? conflict : null,
    change: (change: Partial<Fields>) => store(changed(draft, saved, change, serviceNow())),
    /** Drops what was typed. */
    discard: () => store(null),
    /** Ends the draft after a save. What was typed while the request was under way stays. */
    settle: (sent: Fields, now: Saved) => {
      const latest = readDraft(kept(key))
      store(latest === null ? null : withoutEmpty(rebased({ ...latest, base: sent }, now), now))
    },
    /** Keeps what was typed, on top of what is saved now. */
    keepMine: () => {
      if (draft !== null) store(withoutEmpty(rebased(draft, saved), saved))
    },
  }
}

/** A draft without changes is none. */
function withoutEmpty(draft: Draft, saved: Saved): Draft | null {
  return changed(draft, saved, {}, draft.at)
}
