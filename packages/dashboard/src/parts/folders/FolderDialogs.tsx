import { type ReactNode, useState } from 'react'
import { plainText } from '../../base/text.ts'
import { SelectField } from '../Choices.tsx'
import { TextField } from '../Field.tsx'
import { FormDialog } from '../FormDialog.tsx'
import { Foreign } from '../Values.tsx'
import type { Placed } from './tree.ts'

/** The operations of folders of one type. */
export type FolderStore = {
  create(body: { name: string; parent_id: number | null }): Promise<{ id: number }>
  update(id: number, body: { name: string }): Promise<unknown>
  delete(id: number): Promise<unknown>
}

/** Where folders are shown, and what they hold. */
export type FolderPlace = {
  one: string
  many: string
  store: FolderStore
  /** What else may keep a folder from being deleted. */
  deleteHint?: string
  /** Reads the folders again. */
  refresh(): Promise<void>
  /** Shows a folder, or everything. */
  show(folder: number | undefined): void
}

/** Makes a folder. @param children more fields */
export function NewFolder({
  inside,
  place,
  children,
  onClose,
}: {
  inside?: Placed | undefined
  place: FolderPlace
  children?: ReactNode
  onClose: () => void
}) {
  const [name, setName] = useState('')
  const create = async () => {
    const { id } = await place.store.create({ name, parent_id: inside?.id ?? null })
    await place.refresh()
    onClose()
    place.show(id)
  }
  return (
    <FormDialog
      title="New folder"
      word="Create"
      onSend={create}
      onClose={onClose}
      fields={['name', 'parent_id']}
    >
      {(problemOf) => (
        <>
          {inside !== undefined && (
            <p>
              In <Foreign text={inside.path} />
            </p>
          )}
          <TextField
            label="Name"
            value={name}
            onChange={(event) => setName(event.target.value)}
            problem={problemOf('name') ?? problemOf('parent_id')}
          />
          {children}
        </>
      )}
    </FormDialog>
  )
}

export function RenameFolder({
  folder,
  place,
  onClose,
}: {
  folder: Placed
  place: FolderPlace
  onClose: () => void
}) {
  const [name, setName] = useState(folder.name)
  const rename = async () => {
    await place.store.update(folder.id, { name })
    await place.refresh()
    onClose()
  }
  return (
    <FormDialog title="Rename the folder" word="Rename" onSend={rename} onClose={onClose} fields={['name']}>
      {(problemOf) => (
        <TextField
          label="Name"
          value={name}
          onChange={(event) => setName(event.target.value)}
          problem={problemOf('name')}
        />
      )}
    </FormDialog>
  )
}

/** Asks before an empty folder is deleted. */
export function DeleteFolder({
  folder,
  place,
  onClose,
}: {
  folder: Placed
  place: FolderPlace
  onClose: () => void
}) {
  const { many, store, deleteHint = '' } = place
  const remove = async () => {
    await store.delete(folder.id)
    onClose()
    place.show(undefined)
    await place.refresh()
  }
  return (
    <FormDialog title="Delete the folder" word="Delete" look="danger" onSend={remove} onClose={onClose}>
      <p>
        <Foreign text={folder.path} /> has no {many} and no folders. {deleteHint}
      </p>
    </FormDialog>
  )
}

/** Moves something into another folder. @param children what is moved, and what changes for it */
export function MoveDialog({
  folders,
  from,
  children,
  onMove,
  onClose,
}: {
  folders: readonly Placed[]
  from: number | null
  children: ReactNode
  onMove: (folderId: number | null) => Promise<void>
  onClose: () => void
}) {
  const [folderId, setFolderId] = useState(from)
  const move = async () => {
    await onMove(folderId)
    onClose()
  }
  return (
    <FormDialog title="Move to a folder" word="Move" onSend={move} onClose={onClose} fields={['folder_id']}>
      {(problemOf) => (
        <>
          <p>{children}</p>
          <FolderField
            folders={folders}
            value={folderId}
            onChange={setFolderId}
            problem={problemOf('folder_id')}
          />
        </>
      )}
    </FormDialog>
  )
}

/** A choice of one of these folders, or of none. */
export function FolderField({
  folders,
  value,
  onChange,
  problem,
}: {
  folders: readonly Placed[]
  value: number | null
  onChange: (id: number | null) => void
  problem?: string | undefined
}) {
  return (
    <SelectField
      label="Folder"
      value={value ?? ''}
      onChange={(event) => onChange(event.target.value === '' ? null : Number(event.target.value))}
      problem={problem}
    >
      <option value="">In no folder</option>
      {folders.map(({ id, path }) => (
        <option key={id} value={id}>
          {plainText(path)}
        </option>
      ))}
    </SelectField>
  )
}
