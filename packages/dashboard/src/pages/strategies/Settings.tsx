import { useMemo } from 'react'
import { useQuery } from '../../data/use-query.ts'
import { Button } from '../../parts/Button.tsx'
import { FieldGroup, RadioFields, WholeRow } from '../../parts/Choices.tsx'
import { Buttons } from '../../parts/Dialog.tsx'
import { TextField } from '../../parts/Field.tsx'
import { Form } from '../../parts/Form.tsx'
import { FolderField } from '../../parts/folders/FolderDialogs.tsx'
import { treeOf } from '../../parts/folders/tree.ts'
import { emptyDraft } from './draft.ts'
import { Elsewhere } from './Elsewhere.tsx'
import { MarketFields, SignalFields, TriggerFields } from './fields.tsx'
import type { CodeKind } from './kinds.ts'
import { Remembered } from './Remembered.tsx'
import styles from './strategies.module.css'
import { foldersQuery, type Strategy } from './strategies.ts'
import { useDraft } from './use-draft.ts'
import { Variables } from './Variables.tsx'

const fields = Object.keys(emptyDraft)

const visibilities = [
  { value: 'PRIVATE', text: 'Private', hint: 'Only you see it.' },
  {
    value: 'PUBLIC',
    text: 'Public',
    hint: 'Every user of this installation can read and copy its name, settings and code. Variables, stored value, folder and webhooks stay yours. Do not write secrets into public code.',
  },
] as const

/** The settings of a strategy except its schedule, the variables that it reads, and what its runs have left. */
export function Settings({ kind, strategy }: { kind: CodeKind; strategy: Strategy }) {
  const editing = useDraft(kind, strategy)
  const { draft, change, isChanged, load, save } = editing
  const { data: folders } = useQuery(foldersQuery)
  const tree = useMemo(() => treeOf(folders ?? []), [folders])
  return (
    <>
      <Form onSend={() => save()} fields={fields}>
        {(isSending, problemOf) => (
          <div className={styles.form}>
            <FieldGroup title="Strategy">
              <TextField
                label="Name"
                value={draft.name}
                onChange={(event) => change({ name: event.target.value })}
                problem={problemOf('name')}
              />
              <FolderField
                folders={tree.filter((folder) => folder.kind === kind)}
                value={draft.folder_id}
                onChange={(folder_id) => change({ folder_id })}
                problem={problemOf('folder_id')}
              />
              <WholeRow>
                <RadioFields
                  legend="Visibility"
                  name="visibility"
                  choices={visibilities}
                  value={draft.visibility}
                  onChange={(visibility) => change({ visibility })}
                />
              </WholeRow>
            </FieldGroup>
            {kind === 'reaction' && <TriggerFields {...{ draft, change, problemOf }} />}
            <MarketFields {...{ draft, change, problemOf }} />
            <SignalFields {...{ draft, change, problemOf }} />
            <Elsewhere editing={editing} />
            <Buttons>
              <Button onClick={load} unavailable={isChanged ? null : 'Nothing has been changed.'}>
                Discard
              </Button>
              <Button
                type="submit"
                look="primary"
                isBusy={isSending}
                unavailable={isChanged ? null : 'Nothing has been changed.'}
              >
                Save
              </Button>
            </Buttons>
          </div>
        )}
      </Form>
      <Variables code={strategy.code} folderId={strategy.folder_id} folders={tree} />
      <Remembered kind={kind} strategy={strategy} />
    </>
  )
}
