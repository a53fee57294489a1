import type { AiTestRun } from '@tickwright/client'
import { indentJson } from '../../base/json-text.ts'
import { count } from '../../base/numbers.ts'
import { formatDuration } from '../../base/times.ts'
import { changeWords } from '../../data/changes.ts'
import { Code } from '../../parts/Code.tsx'
import { Conversation } from '../../parts/Conversation.tsx'
import { Facts } from '../../parts/Facts.tsx'
import { Action, Status } from '../../parts/Marks.tsx'
import { Notice } from '../../parts/Notice.tsx'
import { Section } from '../../parts/Page.tsx'
import { Foreign } from '../../parts/Values.tsx'
import styles from './ai.module.css'
import { suspensionText } from './suspension.ts'

/** What came of a test: the action that would have been sent, and the whole conversation. */
export function TestResult({ run, about }: { run: AiTestRun; about: string }) {
  const { status, duration_ms, error, violation, action, changes, storage, tokens, transcript } = run
  const hasStored = JSON.stringify(storage.before) !== JSON.stringify(storage.after)
  return (
    <Section title="What came of it">
      <p className={styles.soft}>{about}</p>
      <Facts
        facts={[
          ['Outcome', <Status key="status" status={status} />],
          ['Action', <Action key="action" action={action?.action ?? null} />],
          ['Symbols', <Foreign key="symbols" text={action?.symbols.join(', ') || '–'} />],
          ['Size', sizeOf(action)],
          ['Took', formatDuration(duration_ms)],
          ['Tokens', count(tokens.input + tokens.output, 'token')],
        ]}
      />
      {action?.needs_approval && <p>The action would have waited for your approval.</p>}
      {changes.length > 0 && (
        <ul aria-label="Changes">
          {changes.map(({ strategy_id, status, needs_approval }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a run may ask for the same change twice
            <li key={index}>
              {changeWords({ status })} strategy {strategy_id}
              {needs_approval
                ? ': it would have waited for your approval.'
                : ': it would have been made at once.'}
            </li>
          ))}
        </ul>
      )}
      {action === null && changes.length === 0 && error === null && violation === null && (
        <p>The model chose to do nothing.</p>
      )}
      {error !== null && (
        <Notice tone="loss">
          <Foreign text={`${error.name}: ${error.message}`} />
        </Notice>
      )}
      {violation !== null && <Notice tone="loss">{suspensionText(violation)}</Notice>}
      {hasStored && (
        <div className={styles.storage}>
          <Code text={jsonText(storage.before)} name="Stored value before" canCopy={false} />
          <Code text={jsonText(storage.after)} name="Stored value after" canCopy={false} />
        </div>
      )}
      <Conversation entries={transcript} />
    </Section>
  )
}

function sizeOf(action: AiTestRun['action']): string {
  const size = action?.options.size
  return size === undefined ? '–' : String(size)
}

function jsonText(value: unknown): string {
  return indentJson(JSON.stringify(value) ?? 'null')
}
