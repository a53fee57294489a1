import { type Belonging, type Change, keyOf, type RecordKind, type Stored } from './changes.ts'

/** A record as one user sees it. `userId` is `null` if everyone sees it. */
export type Found = Belonging & { userId: number | null; record: object }

/** The users who have an open stream on this node. */
export type Listeners = ReadonlySet<number>

/**
 * Reads the records of changes, as the users see them who may see them and listen: the records for each change, in the
 * order of the changes. A record that is gone has none. `stored` has what is known of each change, in the same order.
 */
export type Source = (
  changes: Change[],
  listeners: Listeners,
  stored: readonly (Stored | undefined)[],
) => Promise<Found[][]>

export type Sources = Partial<Record<RecordKind, Source>>

/** A change and its number: changes are numbered in the order in which this node heard of them. */
export type Numbered = { change: Change; number: number; stored?: Stored | undefined }

export type Event = Numbered & { found: Found[] }

/** Reads the records of changes of all kinds. */
export async function readAll(sources: Sources, changes: Numbered[], listeners: Listeners): Promise<Event[]> {
  const events = changes.map((numbered): Event => ({ ...numbered, found: [] }))
  const byKind = Map.groupBy(events, ({ change }) => change.kind)
  await Promise.all(
    [...byKind].map(async ([kind, ofKind]) => {
      const read = sources[kind]
      if (read === undefined) return
      const found = await read(
        ofKind.map(({ change }) => change),
        listeners,
        ofKind.map(({ stored }) => stored),
      )
      for (const [index, event] of ofKind.entries()) event.found = found[index] ?? []
    }),
  )
  return events
}

/** Of several changes of one record, only the latest is an event. They stay in the order of these. */
export function latestOf(changes: Numbered[]): Numbered[] {
  const latest = new Map<string, Numbered>()
  for (const numbered of changes) {
    const key = keyOf(numbered.change)
    // Deleted first, so that the latest is also the last.
    latest.delete(key)
    latest.set(key, numbered)
  }
  return [...latest.values()]
}
