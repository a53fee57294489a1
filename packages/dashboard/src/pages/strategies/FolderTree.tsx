import { Link } from '@tanstack/react-router'
import { Folder, FolderOpen, Inbox, Layers } from 'lucide-react'
import type { ReactNode } from 'react'
import { plainText } from '../../base/text.ts'
import { Foreign } from '../../parts/Values.tsx'
import type { StrategyFilters } from './filters.ts'
import { type Placed, totalsOf } from './folders.ts'
import { kindTexts } from './kinds.ts'
import styles from './strategies.module.css'

/** All folders as a tree of links. Each keeps the other filters. */
export function FolderTree({
  folders,
  counts,
  filters,
}: {
  folders: readonly Placed[]
  /** How many strategies each folder itself has; `null` for those in no folder. */
  counts: ReadonlyMap<number | null, number>
  filters: StrategyFilters
}) {
  const { folder: chosen, ...others } = filters
  const all = [...counts.values()].reduce((sum, each) => sum + each, 0)
  const totals = totalsOf(folders, counts)
  const entry = (
    folder: StrategyFilters['folder'],
    icon: ReactNode,
    name: ReactNode,
    number: number,
    rest: { depth?: number; title?: string } = {},
  ) => (
    <li key={String(folder)}>
      <Link
        to="/strategies"
        search={folder === undefined ? others : { ...others, folder }}
        className={styles.folder}
        data-chosen={folder === chosen || undefined}
        aria-current={folder === chosen ? 'true' : undefined}
        title={rest.title}
        style={{ paddingLeft: 8 + 14 * (rest.depth ?? 0) }}
      >
        {icon}
        <span>{name}</span>
        <span className={styles.number}>{number}</span>
      </Link>
    </li>
  )
  return (
    <nav className={styles.folders} aria-label="Folders">
      <ul>
        {entry(undefined, <Layers aria-hidden />, 'All', all)}
        {entry('none', <Inbox aria-hidden />, 'In no folder', counts.get(null) ?? 0)}
        {folders.map(({ id, name, depth, kind, path }) =>
          entry(
            id,
            id === chosen ? <FolderOpen aria-hidden /> : <Folder aria-hidden />,
            <Foreign text={name} />,
            totals.get(id) ?? 0,
            { depth, title: `${plainText(path)} · ${kindTexts[kind]}` },
          ),
        )}
      </ul>
    </nav>
  )
}
