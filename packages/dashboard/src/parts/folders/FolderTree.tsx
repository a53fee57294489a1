import { Folder, FolderOpen, Inbox, Layers } from 'lucide-react'
import type { ReactElement, ReactNode } from 'react'
import { plainText } from '../../base/text.ts'
import { Foreign } from '../Values.tsx'
import styles from './folders.module.css'
import { type AnyFolder, type ChosenFolder, type Placed, totalsOf } from './tree.ts'

/** How an entry of the tree looks, for the link that the page makes of it. */
export type EntryLook = {
  className: string | undefined
  'data-chosen': true | undefined
  'aria-current': 'true' | undefined
  title: string | undefined
  style: { paddingLeft: number }
  children: ReactNode
}

/** All folders as a tree of links. */
export function FolderTree<Of extends AnyFolder>({
  folders,
  counts,
  chosen,
  kindOf,
  link,
}: {
  folders: readonly Placed<Of>[]
  /** How many items each folder itself has; `null` for those in no folder. */
  counts: ReadonlyMap<number | null, number>
  chosen: ChosenFolder
  /** What a folder is for, if they differ. */
  kindOf?: (folder: Placed<Of>) => string
  /** Makes the link that chooses a folder. */
  link: (folder: ChosenFolder, look: EntryLook) => ReactElement
}) {
  const all = [...counts.values()].reduce((sum, each) => sum + each, 0)
  const totals = totalsOf(folders, counts)
  const entry = (
    folder: ChosenFolder,
    icon: ReactNode,
    name: ReactNode,
    number: number,
    rest: { depth?: number; title?: string } = {},
  ) => (
    <li key={String(folder)}>
      {link(folder, {
        className: styles.folder,
        'data-chosen': folder === chosen || undefined,
        'aria-current': folder === chosen ? 'true' : undefined,
        title: rest.title,
        style: { paddingLeft: 8 + 14 * (rest.depth ?? 0) },
        children: (
          <>
            {icon}
            <span>{name}</span>
            <span className={styles.number}>{number}</span>
          </>
        ),
      })}
    </li>
  )
  return (
    <nav className={styles.folders} aria-label="Folders">
      <ul>
        {entry(undefined, <Layers aria-hidden />, 'All', all)}
        {entry('none', <Inbox aria-hidden />, 'In no folder', counts.get(null) ?? 0)}
        {folders.map((folder) =>
          entry(
            folder.id,
            folder.id === chosen ? <FolderOpen aria-hidden /> : <Folder aria-hidden />,
            <Foreign text={folder.name} />,
            totals.get(folder.id) ?? 0,
            {
              depth: folder.depth,
              title: [plainText(folder.path), ...(kindOf ? [kindOf(folder)] : [])].join(' · '),
            },
          ),
        )}
      </ul>
    </nav>
  )
}
