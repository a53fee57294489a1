import { useState } from 'react'
import { count } from '../../base/numbers.ts'
import { Button } from '../Button.tsx'
import { Foreign } from '../Values.tsx'
import { DeleteFolder, type FolderPlace, RenameFolder } from './FolderDialogs.tsx'
import styles from './folders.module.css'
import type { Placed } from './tree.ts'

/** The chosen folder, and what can be done with it. */
export function FolderBar({
  folder,
  tree,
  counts,
  place,
}: {
  folder: Placed
  tree: readonly Placed[]
  counts: ReadonlyMap<number | null, number>
  place: FolderPlace
}) {
  const [dialog, setDialog] = useState<'rename' | 'delete' | null>(null)
  const close = () => setDialog(null)
  const items = counts.get(folder.id) ?? 0
  const inner = tree.filter(({ parent_id }) => parent_id === folder.id).length
  const contents = [
    ...(items > 0 ? [count(items, place.one, place.many)] : []),
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
      {dialog === 'rename' && <RenameFolder folder={folder} place={place} onClose={close} />}
      {dialog === 'delete' && <DeleteFolder folder={folder} place={place} onClose={close} />}
    </div>
  )
}
