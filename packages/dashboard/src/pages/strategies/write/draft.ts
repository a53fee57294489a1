/** What the editor holds, beside what the service holds: nothing is lost, and nothing is overwritten unseen. */

/** The code as the service has stored it, with the tag that a save must name. */
export type Saved = { code: string; etag: string; version: number }

/** Text that is not saved, as the browser keeps it. */
export type Draft = {
  text: string
  /** The version that it began from. */
  version: number
  /** When it was written, in Unix milliseconds. */
  at: number
}

export type Writing = {
  text: string
  /** What the text began from. */
  base: Saved
  /** Another save of the code, which the text does not know. The user decides. */
  theirs: Saved | null
  /** The draft that the text began with, after a reload. */
  restored: Draft | null
}

/** Whether there is something to save. */
export function isChanged({ text, base }: Pick<Writing, 'text' | 'base'>): boolean {
  return text !== base.code
}

/** What a page begins with: the draft if it says anything else than what is saved. */
export function begin(saved: Saved, draft: Draft | null): Writing {
  const fresh = { text: saved.code, base: saved, theirs: null, restored: null }
  if (draft === null || draft.text === saved.code) return fresh
  const writing = { ...fresh, text: draft.text, restored: draft }
  // Someone has saved since: the draft knows nothing of that.
  return draft.version === saved.version ? writing : { ...writing, theirs: saved }
}

/** The service has answered with what it holds now. */
export function heard(writing: Writing, saved: Saved): Writing {
  const { base, text, theirs } = writing
  const known = theirs ?? base
  // An answer that was under way during a save may be older than it.
  if (saved.version < known.version || saved.etag === known.etag) return writing
  if (theirs === null && saved.code === base.code) return { ...writing, base: saved }
  if (text === saved.code) return { ...writing, base: saved, theirs: null }
  if (!isChanged(writing)) return { ...writing, base: saved, text: saved.code, theirs: null, restored: null }
  return { ...writing, theirs: saved }
}

/** The service has stored a text; the user may have written on since, and someone may have saved after it. */
export function stored(writing: Writing, saved: Saved): Writing {
  const { base, theirs } = writing
  const isOlder = base.version > saved.version
  return {
    ...writing,
    base: isOlder ? base : saved,
    theirs: theirs !== null && theirs.version > saved.version ? theirs : null,
    restored: null,
  }
}

/** The user takes what the service holds instead of their own text. */
export function takeSaved({ base, theirs }: Writing): Writing {
  const saved = theirs ?? base
  return { text: saved.code, base: saved, theirs: null, restored: null }
}

/** The tag that a save names: that of what the user has seen. */
export function tagToSave({ base, theirs }: Writing): string {
  return (theirs ?? base).etag
}

/** The number of the version in a tag of the service; a proxy may have weakened the tag. */
export function readTag(etag: string | undefined): { etag: string; version: number } | null {
  const strong = etag?.replace(/^W\//, '')
  const version = strong && /^"(\d+)[-"]/.exec(strong)?.[1]
  return version ? { etag: strong, version: Number(version) } : null
}

/** A draft as the browser keeps it, or `null` if it is none. */
export function readDraft(kept: string | null): Draft | null {
  if (kept === null) return null
  try {
    const { text, version, at } = JSON.parse(kept) as Partial<Draft>
    if (typeof text !== 'string' || typeof version !== 'number' || typeof at !== 'number') return null
    return { text, version, at }
  } catch {
    return null
  }
}
