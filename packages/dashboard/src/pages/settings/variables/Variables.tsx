import { useQueryClient } from '@tanstack/react-query'
import type { EnvironmentVariable } from '@tickwright/client'
import { useState } from 'react'
import { client } from '../../../data/client.ts'
import { useQuery } from '../../../data/use-query.ts'
import { Button } from '../../../parts/Button.tsx'
import { Confirm } from '../../../parts/FormDialog.tsx'
import { Empty } from '../../../parts/Notice.tsx'
import { Section } from '../../../parts/Page.tsx'
import { Foreign, Time } from '../../../parts/Values.tsx'
import { Entries, Entry } from '../Entries.tsx'
import { Found } from '../Found.tsx'
import { Loaded } from '../Loaded.tsx'
import { allOf } from '../lists.ts'
import styles from '../settings.module.css'
import { groupsOf } from './folders.ts'
import { foldersQuery } from './queries.ts'
import { Readers } from './Readers.tsx'
import { VariableForm } from './VariableForm.tsx'

type Open = { act: 'new' } | { act: 'change' | 'delete'; variable: EnvironmentVariable }

/** The values that code reads from `$.Env`, by the folders where they apply. */
export function Variables() {
  const variables = useQuery(allOf('variables', client.variables.list))
  const { data: folders } = useQuery(foldersQuery)
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  const create = (
    <Button look="primary" onClick={() => setOpen({ act: 'new' })}>
      New variable
    </Button>
  )
  return (
    <Section title="Variables" actions={(variables.data?.length ?? 0) > 0 && create}>
      <p className={styles.why}>
        Keys of other services and numbers that change do not belong in code: code reads them as{' '}
        <code>$.Env.NAME</code>. The service stores each value encrypted and never shows it again.
      </p>
      <Loaded query={variables}>
        {(items) =>
          items.length === 0 ? (
            <Empty title="No variable yet" action={create}>
              Code reads variables as $.Env.NAME.
            </Empty>
          ) : (
            <Found area="variables" label="Name" items={items} textsOf={({ name }) => [name]}>
              {(found) =>
                groupsOf(found, folders ?? []).map(({ title, variables }) => (
                  <div key={title} className={styles.folder}>
                    <h3>
                      <Foreign text={title} />
                    </h3>
                    <Entries label={title}>
                      {variables.map((variable) => (
                        <VariableEntry
                          key={variable.id}
                          variable={variable}
                          onOpen={(act) => setOpen({ act, variable })}
                        />
                      ))}
                    </Entries>
                  </div>
                ))
              }
            </Found>
          )
        }
      </Loaded>
      {open?.act === 'new' && <VariableForm onClose={close} />}
      {open?.act === 'change' && <VariableForm variable={open.variable} onClose={close} />}
      {open?.act === 'delete' && <DeleteVariable variable={open.variable} onClose={close} />}
    </Section>
  )
}

function VariableEntry({
  variable: { id, name, updated_at },
  onOpen,
}: {
  variable: EnvironmentVariable
  onOpen: (act: 'change' | 'delete') => void
}) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Entry
      name={<code className={styles.variable}>{name}</code>}
      marks={
        <span className={styles.soft}>
          •••••••• · changed <Time at={updated_at} />
        </span>
      }
      actions={
        <>
          <Button
            look="quiet"
            aria-expanded={isOpen}
            aria-label={`Who reads it: ${name}`}
            onClick={() => setOpen(!isOpen)}
          >
            Who reads it
          </Button>
          <Button look="quiet" aria-label={`Change ${name}`} onClick={() => onOpen('change')}>
            Change
          </Button>
          <Button look="quiet" aria-label={`Delete ${name}`} onClick={() => onOpen('delete')}>
            Delete
          </Button>
        </>
      }
    >
      {isOpen && <Readers variableId={id} />}
    </Entry>
  )
}

function DeleteVariable({ variable, onClose }: { variable: EnvironmentVariable; onClose: () => void }) {
  const queries = useQueryClient()
  const remove = async () => {
    await client.variables.delete(variable.id)
    await queries.invalidateQueries({ queryKey: ['variables'] })
  }
  return (
    <Confirm title="Delete this variable" word="Delete" onConfirm={remove} onClose={onClose}>
      <p>
        The service deletes <code>{variable.name}</code> with its value. Nobody can bring the value back. Code
        that reads it then gets nothing.
      </p>
      <Readers variableId={variable.id} />
    </Confirm>
  )
}
