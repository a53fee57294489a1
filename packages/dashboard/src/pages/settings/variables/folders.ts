/** The kinds of strategies, each of which has folders of its own. */
export const folderKinds = ['Code strategies', 'Code reactions', 'AI reactions', 'AI sessions'] as const

export type FolderKind = (typeof folderKinds)[number]
type Folder = { id: number; name: string; parent_id: number | null }

/** A folder with the names of all folders around it, such as `Trend / Bitcoin`. */
export type KnownFolder = { id: number; kind: FolderKind; path: string }

/** The folders of one kind, in order of their paths. */
export function knownFolders(kind: FolderKind, folders: readonly Folder[]): KnownFolder[] {
  const byId = new Map(folders.map((folder) => [folder.id, folder]))
  const pathOf = ({ name, parent_id }: Folder, depth = 0): string => {
    const parent = parent_id === null ? undefined : byId.get(parent_id)
    // Folders can be ten levels deep. While one is being moved, two lists may not fit together.
    return parent === undefined || depth > 10 ? name : `${pathOf(parent, depth + 1)} / ${name}`
  }
  return folders
    .map((folder) => ({ id: folder.id, kind, path: pathOf(folder) }))
    .sort((one, other) => one.path.localeCompare(other.path))
}

export type Group<Variable> = { folder: KnownFolder | null; title: string; variables: Variable[] }

/** Variables by where they apply: first those that apply everywhere. Folders without any are left out. */
export function groupsOf<Variable extends { folder_id: number | null; name: string }>(
  variables: readonly Variable[],
  folders: readonly KnownFolder[],
): Group<Variable>[] {
  const byFolder = Map.groupBy(
    variables.toSorted((one, other) => one.name.localeCompare(other.name)),
    ({ folder_id }) => folder_id,
  )
  const everywhere = byFolder.get(null)
  const known = folders.flatMap((folder) => {
    const found = byFolder.get(folder.id)
    return found === undefined ? [] : [{ folder, title: `${folder.kind} / ${folder.path}`, variables: found }]
  })
  const ids = new Set(folders.map(({ id }) => id))
  // A folder may have been made after the folders were read.
  const unknown = [...byFolder]
    .filter(([id]) => id !== null && !ids.has(id))
    .map(([id, found]) => ({ folder: null, title: `Folder ${id}`, variables: found }))
  return [
    ...(everywhere === undefined ? [] : [{ folder: null, title: 'Everywhere', variables: everywhere }]),
    ...known,
    ...unknown,
  ]
}
