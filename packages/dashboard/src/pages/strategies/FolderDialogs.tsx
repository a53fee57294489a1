import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { plainText } from '../../base/text.ts'
import { Button } from '../../parts/Button.tsx'
import { SelectField } from '../../parts/Choices.tsx'
import { Buttons, Dialog } from '../../parts/Dialog.tsx'
import { TextField } from '../../parts/Field.tsx'
import { Form } from '../../parts/Form.tsx'
import { Foreign } from '../../parts/Values.tsx'
import type { Placed } from './folders.ts'
import { type Kind, kindOf, kinds, kindTexts } from './kinds.ts'
import { anyOf, type Listed } from './strategies.ts'

function useRefresh(): () => Promise<void> {
  const queries = useQueryClient()
  return () => queries.invalidateQueries({ queryKey: ['strategies'] })
}

/** Makes a folder. A folder holds strategies of one kind. */
export function NewFolder({ inside, onClose }: { inside?: Placed | undefined; onClose: () => void }) {
  const [name, setName] = useState('')
  const [kind, setKind] = useState<Kind>(inside?.kind ?? 'code')
  const refresh = useRefresh()
  const navigate = useNavigate()
  const create = async () => {
    const { id } = await anyOf[kind].folders.create({ name, parent_id: inside?.id ?? null })
    await refresh()
    onClose()
    void navigate({ to: '/strategies', search: { folder: id } })
  }
  return (
    <Dialog title="New folder" onClose={onClose}>
      {inside !== undefined && (
        <p>
          In <Foreign text={inside.path} />
        </p>
      )}
      <Form onSend={create} fields={['name', 'parent_id']}>
        {(isSending, problemOf) => (
          <>
            <TextField
              label="Name"
              value={name}
              onChange={(event) => setName(event.target.value)}
              problem={problemOf('name') ?? problemOf('parent_id')}
            />
            {inside === undefined && (
              <SelectField
                label="For"
                hint="A folder holds strategies of one kind."
                value={kind}
                onChange={(event) => setKind(event.target.value as Kind)}
              >
                {kinds.map((kind) => (
                  <option key={kind} value={kind}>
                    {kindTexts[kind]}
                  </option>
                ))}
              </SelectField>
            )}
            <Buttons>
              <Button onClick={onClose}>Cancel</Button>
              <Button type="submit" look="primary" isBusy={isSending}>
                Create
              </Button>
            </Buttons>
          </>
        )}
      </Form>
    </Dialog>
  )
}

export function RenameFolder({ folder, onClose }: { folder: Placed; onClose: () => void }) {
  const [name, setName] = useState(folder.name)
  const refresh = useRefresh()
  const rename = async () => {
    await anyOf[folder.kind].folders.update(folder.id, { name })
    await refresh()
    onClose()
  }
  return (
    <Dialog title="Rename the folder" onClose={onClose}>
      <Form onSend={rename} fields={['name']}>
        {(isSending, problemOf) => (
          <>
            <TextField
              label="Name"
              value={name}
              onChange={(event) => setName(event.target.value)}
              problem={problemOf('name')}
            />
            <Buttons>
              <Button onClick={onClose}>Cancel</Button>
              <Button type="submit" look="primary" isBusy={isSending}>
                Rename
              </Button>
            </Buttons>
          </>
        )}
      </Form>
    </Dialog>
  )
}

/** Asks before an empty folder is deleted. */
export function DeleteFolder({ folder, onClose }: { folder: Placed; onClose: () => void }) {
  const refresh = useRefresh()
  const navigate = useNavigate()
  const remove = async () => {
    await anyOf[folder.kind].folders.delete(folder.id)
    onClose()
    void navigate({ to: '/strategies', search: {} })
    await refresh()
  }
  return (
    <Dialog title="Delete the folder" onClose={onClose}>
      <p>
        <Foreign text={folder.path} /> has no strategies and no folders. If it has variables, the service
        keeps it and names them.
      </p>
      <Form onSend={remove}>
        {(isSending) => (
          <Buttons>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" look="danger" isBusy={isSending}>
              Delete
            </Button>
          </Buttons>
        )}
      </Form>
    </Dialog>
  )
}

/** Moves a strategy into another folder of its kind. */
export function MoveStrategy({
  strategy,
  folders,
  onClose,
}: {
  strategy: Listed
  folders: readonly Placed[]
  onClose: () => void
}) {
  const [folderId, setFolderId] = useState(strategy.folder_id)
  const refresh = useRefresh()
  const kind = kindOf(strategy.type)
  const move = async () => {
    await anyOf[kind].update(strategy.id, { folder_id: folderId })
    await refresh()
    onClose()
  }
  return (
    <Dialog title="Move to a folder" onClose={onClose}>
      <p>
        <Foreign text={strategy.name || `Strategy ${strategy.id}`} /> reads the variables of its folder and of
        the folders around it.
      </p>
      <Form onSend={move} fields={['folder_id']}>
        {(isSending, problemOf) => (
          <>
            <FolderField
              kind={kind}
              folders={folders}
              value={folderId}
              onChange={setFolderId}
              problem={problemOf('folder_id')}
            />
            <Buttons>
              <Button onClick={onClose}>Cancel</Button>
              <Button type="submit" look="primary" isBusy={isSending}>
                Move
              </Button>
            </Buttons>
          </>
        )}
      </Form>
    </Dialog>
  )
}

/** The folder of a strategy: only those of its kind. */
export function FolderField({
  kind,
  folders,
  value,
  onChange,
  problem,
}: {
  kind: Kind
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
      {folders
        .filter((folder) => folder.kind === kind)
        .map(({ id, path }) => (
          <option key={id} value={id}>
            {plainText(path)}
          </option>
        ))}
    </SelectField>
  )
}
