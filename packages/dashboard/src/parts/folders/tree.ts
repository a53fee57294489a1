/** Folders as a tree: they nest. */

export type AnyFolder = { id: number; name: string; parent_id: number | null }

/** A folder in its place. `path`: its name after those of the folders around it. */
export type Placed<Of extends AnyFolder = AnyFolder> = Of & { depth: number; path: string }

/** All folders in the order of a tree: each before those within it, and otherwise by name. */
export function treeOf<Of extends AnyFolder>(folders: readonly Of[]): Placed<Of>[] {
  const within = Map.groupBy(folders, ({ parent_id }) => parent_id)
  const placed: Placed<Of>[] = []
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
export function idsWithin(folders: readonly AnyFolder[], id: number): Set<number> {
  const ids = new Set([id])
  // A folder comes after the one around it, so that one pass is enough.
  for (const folder of treeOf(folders)) {
    if (folder.parent_id !== null && ids.has(folder.parent_id)) ids.add(folder.id)
  }
  return ids
}

/** How many items each folder has with those within it. `counts` are those of each folder alone. */
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

/** How many items each folder itself has; `null` for those in no folder. */
export function countsOf(items: readonly { folder_id: number | null }[]): Map<number | null, number> {
  const counts = new Map<number | null, number>()
  for (const { folder_id } of items) counts.set(folder_id, (counts.get(folder_id) ?? 0) + 1)
  return counts
}

/** What an address says about the chosen folder. `none`: what is in no folder. */
export type ChosenFolder = number | 'none' | undefined

export function readFolder(folder: unknown): ChosenFolder {
  const id = Number(folder)
  if (folder === 'none') return folder
  return Number.isSafeInteger(id) && id > 0 ? id : undefined
}

/** Whether an item is in the chosen folder, or in one within it. */
export function isInFolder(
  folders: readonly AnyFolder[],
  chosen: ChosenFolder,
): (item: { folder_id: number | null }) => boolean {
  if (chosen === undefined) return () => true
  if (chosen === 'none') return ({ folder_id }) => folder_id === null
  const inside = idsWithin(folders, chosen)
  return ({ folder_id }) => folder_id !== null && inside.has(folder_id)
}
