import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../parts/Button.tsx'
import { Code } from '../../parts/Code.tsx'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { Action } from '../../parts/Marks.tsx'
import { Section } from '../../parts/Page.tsx'
import { Time } from '../../parts/Values.tsx'
import type { CodeKind } from './kinds.ts'
import styles from './strategies.module.css'
import { codeOf, type Strategy } from './strategies.ts'
import { storedSize } from './write/code-size.ts'

type Part = 'action' | 'value'

const texts: Record<Part, { title: string; effect: string }> = {
  action: {
    title: 'Forget the last action',
    effect:
      'The code then finds no last action in $.Strategy.lastTrigger, as before its first one. No position changes.',
  },
  value: {
    title: 'Delete the stored value',
    effect:
      'The code then gets null from $.Storage.get(), as in its first run. Nobody can bring the value back.',
  },
}

/** What runs have left for later runs: the last action and the stored value. Each can be cleared. */
export function Remembered({ kind, strategy }: { kind: CodeKind; strategy: Strategy }) {
  const [asking, setAsking] = useState<Part | null>(null)
  const { last_trigger: last, storage } = strategy
  const hasValue = storage !== null && storage !== undefined
  return (
    <Section
      title="What it remembers"
      actions={
        <>
          <Button
            onClick={() => setAsking('action')}
            unavailable={last.action === null ? 'It has sent no action.' : null}
          >
            Forget the last action
          </Button>
          <Button onClick={() => setAsking('value')} unavailable={hasValue ? null : 'It has stored nothing.'}>
            Delete the stored value
          </Button>
        </>
      }
    >
      <p className={styles.inline}>
        Last action: <Action action={last.action} /> {last.at !== null && <Time at={last.at} />}
      </p>
      {hasValue ? (
        <>
          <p className={styles.inline}>Stored value: {storedSize(storage)}</p>
          <Code text={JSON.stringify(storage, null, 2)} name="stored value" />
        </>
      ) : (
        <p className={styles.soft}>It has stored nothing.</p>
      )}
      {asking !== null && (
        <Clear kind={kind} strategy={strategy} part={asking} onClose={() => setAsking(null)} />
      )}
    </Section>
  )
}

function Clear({
  kind,
  strategy: { id, status },
  part,
  onClose,
}: {
  kind: CodeKind
  strategy: Strategy
  part: Part
  onClose: () => void
}) {
  const queries = useQueryClient()
  const { title, effect } = texts[part]
  const clear = async () => {
    await codeOf[kind].reset(id, part === 'action' ? { resetTriggers: true } : { resetStore: true })
    await queries.invalidateQueries({ queryKey: ['strategies'] })
    onClose()
  }
  return (
    <FormDialog title={title} word={title} look="danger" onSend={clear} onClose={onClose}>
      <p>{effect}</p>
      {status === 'ACTIVE' && <p>The strategy is switched on: its next run goes on without it.</p>}
    </FormDialog>
  )
}
