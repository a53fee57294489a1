/** Folders as a tree. Each holds strategies of one kind, and they nest. */
import type { Kind } from './kinds.ts'

export type FolderOf = { id: number; name: string; parent_id: number | null; kind: Kind }

/** A folder in its place. `path`: its name after those of the folders around it. */
export type Placed = FolderOf & { depth: number; path: string }

/** All folders in the order of a tree: each before those within it, and otherwise by name. */
export function treeOf(folders: readonly FolderOf[]): Placed[] {
  const within = Map.groupBy(folders, ({ parent_id }) => parent_id)
  const placed: Placed[] = []
  const add = (parentId: number | null, depth: number, before: string) => {
    const children = [...(within.get(parentId) ?? [])].sort((one, other) =>
      one.name.localeCompare(other.name),
    )
    for (const folder of children) {
      const path = before + folder.name
      placed.push({ ...folder, depth, path })
      add(folder.id, depth + 1, `${path} / `)
    }
  }
  add(null, 0, '')
  return placed
}

/** The folder and all folders within it, at any depth. */
export function idsWithin(folders: readonly FolderOf[], id: number): Set<number> {
  const ids = new Set([id])
  // A folder comes after the one around it, so that one pass is enough.
  for (const folder of treeOf(folders)) {
    if (folder.parent_id !== null && ids.has(folder.parent_id)) ids.add(folder.id)
  }
  return ids
}

/** How many strategies each folder has with those within it. `counts` are those of each folder alone. */
export function totalsOf(
  tree: readonly Placed[],
  counts: ReadonlyMap<number | null, number>,
): Map<number, number> {
  const totals = new Map<number, number>()
  // Backwards, each folder comes before the one around it.
  for (const { id, parent_id } of tree.toReversed()) {
    const total = (totals.get(id) ?? 0) + (counts.get(id) ?? 0)
    totals.set(id, total)
    if (parent_id !== null) totals.set(parent_id, (totals.get(parent_id) ?? 0) + total)
  }
  return totals
}
