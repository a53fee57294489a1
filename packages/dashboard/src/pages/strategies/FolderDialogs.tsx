import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { SelectField } from '../../parts/Choices.tsx'
import { type FolderPlace, MoveDialog, NewFolder } from '../../parts/folders/FolderDialogs.tsx'
import type { Placed } from '../../parts/folders/tree.ts'
import { Foreign } from '../../parts/Values.tsx'
import { type Kind, kindOf, kinds, kindTexts } from './kinds.ts'
import { anyOf, type FolderOf, type Listed } from './strategies.ts'

function useRefresh(): () => Promise<void> {
  const queries = useQueryClient()
  return () => queries.invalidateQueries({ queryKey: ['strategies'] })
}

/** The folders of strategies of one kind, in the list of all strategies. */
export function useFolderPlace(kind: Kind): FolderPlace {
  const navigate = useNavigate()
  return {
    one: 'strategy',
    many: 'strategies',
    store: anyOf[kind].folders,
    deleteHint: 'If it has variables, the service keeps it and names them.',
    refresh: useRefresh(),
    show: (folder) => void navigate({ to: '/strategies', search: folder === undefined ? {} : { folder } }),
  }
}

/** Makes a folder. At the top, its kind is chosen; within another folder, it is that of the other one. */
export function NewStrategyFolder({
  inside,
  onClose,
}: {
  inside?: Placed<FolderOf> | undefined
  onClose: () => void
}) {
  const [kind, setKind] = useState<Kind>(inside?.kind ?? 'code')
  const place = useFolderPlace(kind)
  return (
    <NewFolder inside={inside} place={place} onClose={onClose}>
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
    </NewFolder>
  )
}

/** Moves a strategy into another folder of its kind. */
export function MoveStrategy({
  strategy: { id, name, type, folder_id },
  folders,
  onClose,
}: {
  strategy: Listed
  folders: readonly Placed<FolderOf>[]
  onClose: () => void
}) {
  const refresh = useRefresh()
  const kind = kindOf(type)
  return (
    <MoveDialog
      folders={folders.filter((folder) => folder.kind === kind)}
      from={folder_id}
      onMove={async (folder) => {
        await anyOf[kind].update(id, { folder_id: folder })
        await refresh()
      }}
      onClose={onClose}
    >
      <Foreign text={name || `Strategy ${id}`} /> reads the variables of its folder and of the folders around
      it.
    </MoveDialog>
  )
}
