/** What somebody has typed and not saved. It survives a reload, and a save from elsewhere. */

import { changedFields, type Fields, newFields } from './fields.ts'

export type Draft = {
  fields: Fields
  /** What was saved when the draft began. */
  base: Fields
  /** The tag of that state; `null` for a strategy that was never saved. */
  etag: string | null
  /** When it was last changed, in Unix ms. */
  at: number
}

type Saved = { fields: Fields; etag: string | null }

/** The draft after a change; `null` if nothing differs from what is saved. */
export function changed(
  draft: Draft | null,
  saved: Saved,
  change: Partial<Fields>,
  at: number,
): Draft | null {
  const { base, etag } = draft ?? { base: saved.fields, etag: saved.etag }
  const fields = { ...(draft?.fields ?? saved.fields), ...change }
  if (changedFields(fields, base).length === 0) return null
  return { fields, base, etag, at }
}

/** The same changes, made to what is saved now. Fields that the draft did not touch are as they were saved. */
export function rebased({ fields, base, at }: Draft, saved: Saved): Draft {
  const own = Object.fromEntries(changedFields(fields, base).map((name) => [name, fields[name]]))
  return { fields: { ...saved.fields, ...own }, base: saved.fields, etag: saved.etag, at }
}

/**
 * Where others have saved something else since the draft began: all such fields, and those that the draft changed too.
 * What they saved may be the draft itself, if the answer to a save was lost: then there is no conflict.
 */
export function conflictOf({ fields, base }: Draft, saved: Saved) {
  const other = new Set(changedFields(fields, saved.fields))
  const own = new Set(changedFields(fields, base))
  const theirs = changedFields(saved.fields, base).filter((name) => other.has(name))
  return { theirs, both: theirs.filter((name) => own.has(name)) }
}

/** Reads a kept draft. Storage of a browser can hold anything: what has another form is no draft. */
export function readDraft(text: string | null): Draft | null {
  if (text === null || text === '') return null
  try {
    const draft: unknown = JSON.parse(text)
    if (!isRecord(draft) || typeof draft.at !== 'number') return null
    if (draft.etag !== null && typeof draft.etag !== 'string') return null
    return isFields(draft.fields) && isFields(draft.base) ? (draft as Draft) : null
  } catch {
    return null
  }
}

function isFields(value: unknown): boolean {
  return (
    isRecord(value) &&
    Object.entries(newFields('reaction')).every(([name, sample]) => isLike(value[name], sample))
  )
}

function isLike(value: unknown, sample: unknown): boolean {
  if (Array.isArray(sample)) return Array.isArray(value) && value.every(isItem)
  if (sample === null) return value === null || Number.isSafeInteger(value)
  return typeof value === typeof sample
}

function isItem(item: unknown): boolean {
  return typeof item === 'string' || Number.isSafeInteger(item)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
