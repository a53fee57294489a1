import { useState } from 'react'
import { count } from '../../base/numbers.ts'
import { Button } from '../../parts/Button.tsx'
import { Foreign } from '../../parts/Values.tsx'
import { DeleteFolder, RenameFolder } from './FolderDialogs.tsx'
import type { Placed } from './folders.ts'
import styles from './strategies.module.css'

/** The chosen folder, and what can be done with it. */
export function FolderBar({
  folder,
  tree,
  counts,
}: {
  folder: Placed
  tree: readonly Placed[]
  counts: ReadonlyMap<number | null, number>
}) {
  const [dialog, setDialog] = useState<'rename' | 'delete' | null>(null)
  const close = () => setDialog(null)
  const strategies = counts.get(folder.id) ?? 0
  const inner = tree.filter(({ parent_id }) => parent_id === folder.id).length
  const contents = [
    ...(strategies > 0 ? [count(strategies, 'strategy', 'strategies')] : []),
    ...(inner > 0 ? [count(inner, 'folder')] : []),
  ]
  return (
    <div className={styles.bar}>
      <h2>
        <Foreign text={folder.path} />
      </h2>
      <Button onClick={() => setDialog('rename')}>Rename</Button>
      <Button
        onClick={() => setDialog('delete')}
        unavailable={
          contents.length === 0 ? null : `It still has ${contents.join(' and ')}. Move them out of it first.`
        }
      >
        Delete
      </Button>
      {dialog === 'rename' && <RenameFolder folder={folder} onClose={close} />}
      {dialog === 'delete' && <DeleteFolder folder={folder} onClose={close} />}
    </div>
  )
}
