import { type Draft, readDraft } from './draft.ts'

/** Drafts, each by its user and its strategy. A browser without storage keeps them until the page is closed. */

const memory = new Map<string, string>()

function nameOf(userId: number, strategyId: number): string {
  return `tickwright.draft.${userId}.${strategyId}`
}

export function keptDraft(userId: number, strategyId: number): Draft | null {
  const name = nameOf(userId, strategyId)
  return readDraft(memory.get(name) ?? storage()?.getItem(name) ?? null)
}

/** Keeps a draft, or deletes it if there is none any more. Returns whether it survives a reload. */
export function keepDraft(userId: number, strategyId: number, draft: Draft | null): boolean {
  const name = nameOf(userId, strategyId)
  memory.delete(name)
  try {
    if (draft === null) localStorage.removeItem(name)
    else localStorage.setItem(name, JSON.stringify(draft))
    return true
  } catch {
    // There is no storage, or it is full.
    if (draft !== null) memory.set(name, JSON.stringify(draft))
    return draft === null
  }
}

function storage(): Storage | null {
  try {
    return localStorage
  } catch {
    return null
  }
}
