import { useQueryClient } from '@tanstack/react-query'
import type { EnvironmentVariable } from '@tickwright/client'
import { useState } from 'react'
import { plainText } from '../../../base/text.ts'
import { client } from '../../../data/client.ts'
import { useQuery } from '../../../data/use-query.ts'
import { CheckField, SelectField } from '../../../parts/Choices.tsx'
import { TextArea, TextField } from '../../../parts/Field.tsx'
import { FormDialog } from '../../../parts/FormDialog.tsx'
import { SecretField } from '../fields.tsx'
import { textOf } from '../form-data.ts'
import { folderKinds } from './folders.ts'
import { foldersQuery } from './queries.ts'
import { Readers } from './Readers.tsx'

/** Makes a variable, or changes one. Its value is never read back: it stays, or gets replaced. */
export function VariableForm({ variable, onClose }: { variable?: EnvironmentVariable; onClose: () => void }) {
  const queries = useQueryClient()
  const [isNewValue, setNewValue] = useState(variable === undefined)
  const save = async (data: FormData) => {
    const name = textOf(data, 'name').trim()
    const folder_id = Number(textOf(data, 'folder_id')) || null
    const value = textOf(data, 'value')
    if (variable === undefined) await client.variables.create({ name, value, folder_id })
    else await client.variables.update(variable.id, { name, folder_id, ...(isNewValue ? { value } : {}) })
    await queries.invalidateQueries({ queryKey: ['variables'] })
    onClose()
  }
  return (
    <FormDialog
      title={variable === undefined ? 'New variable' : 'Change this variable'}
      word={variable === undefined ? 'Create' : 'Save'}
      onSend={save}
      onClose={onClose}
      fields={['name', 'value', 'folder_id']}
    >
      {(problemOf) => (
        <>
          <TextField
            label="Name"
            name="name"
            defaultValue={variable?.name}
            hint="Letters, digits and _. Code reads it as $.Env.NAME."
            autoComplete="off"
            autoFocus
            isCode
            problem={problemOf('name')}
          />
          {variable !== undefined && (
            <CheckField
              label="Give it a new value"
              checked={isNewValue}
              onChange={(event) => setNewValue(event.target.checked)}
            />
          )}
          {isNewValue && <ValueField problem={problemOf('value')} />}
          <FolderField chosen={variable?.folder_id ?? null} problem={problemOf('folder_id')} />
          {variable !== undefined && <Readers variableId={variable.id} />}
        </>
      )}
    </FormDialog>
  )
}

function ValueField({ problem }: { problem: string | undefined }) {
  const [value, setValue] = useState('')
  const [isShown, setShown] = useState(false)
  const Area = isShown ? TextArea : SecretField
  return (
    <>
      <Area
        label="Value"
        name="value"
        value={value}
        onChange={(event) => setValue(event.target.value)}
        hint="Nobody can read it here later."
        autoComplete="off"
        isCode
        rows={2}
        problem={problem}
      />
      <CheckField
        label="Show what I type"
        checked={isShown}
        onChange={(event) => setShown(event.target.checked)}
      />
    </>
  )
}

function FolderField({ chosen, problem }: { chosen: number | null; problem: string | undefined }) {
  const { data: folders } = useQuery(foldersQuery)
  // A select takes its first value only once: before the folders are there, the right one would be lost.
  if (folders === undefined) return null
  return (
    <SelectField
      label="Applies to"
      name="folder_id"
      defaultValue={chosen ?? ''}
      hint="In a folder, it replaces one of the same name from outside."
      problem={problem}
    >
      <option value="">all strategies</option>
      {folderKinds.map((kind) => {
        const ofKind = folders.filter((folder) => folder.kind === kind)
        return (
          ofKind.length > 0 && (
            <optgroup key={kind} label={kind}>
              {ofKind.map(({ id, path }) => (
                <option key={id} value={id}>
                  {plainText(path)}
                </option>
              ))}
            </optgroup>
          )
        )
      })}
    </SelectField>
  )
}
