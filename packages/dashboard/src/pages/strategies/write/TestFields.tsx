import { Code } from '../../../parts/Code.tsx'
import { TextField } from '../../../parts/Field.tsx'
import { Choice } from './Choice.tsx'
import { storedSize } from './code-size.ts'
import { JsonField } from './JsonField.tsx'
import { PayloadField } from './PayloadField.tsx'
import { describeTrigger } from './past-run.ts'
import type { CodeKind, Written } from './strategy.ts'
import { type InputProblems, isTyped, type TestInput } from './test-input.ts'
import styles from './write.module.css'

/** What a test run is given: payload, price, storage, last action, and which requests are sent. */
export function TestFields({
  kind,
  record,
  input,
  problems,
  onChange,
  onRun,
}: {
  kind: CodeKind
  record: Written
  input: TestInput
  problems: InputProblems
  onChange: (change: Partial<TestInput>) => void
  onRun: () => void
}) {
  return (
    <div className={styles.fields}>
      {kind === 'reaction' && (
        <PayloadField
          webhookId={'data_webhook_id' in record ? record.data_webhook_id : null}
          {...{ input, problems, onChange, onRun }}
        />
      )}
      <details className={styles.more} open={kind === 'code' || input.past !== null}>
        <summary>Price, storage, last action, requests</summary>
        <div className={styles.fields}>
          <TextField
            label="Price"
            inputMode="decimal"
            isCode
            value={input.price}
            disabled={record.price_symbol === null && input.price === ''}
            placeholder={record.use_price ? 'The current price' : 'None'}
            hint={
              record.price_symbol === null
                ? 'The settings name no price symbol.'
                : `The value of $.Price for ${record.price_symbol}`
            }
            problem={problems.price}
            onChange={(event) => onChange({ price: event.target.value })}
          />
          <StorageField record={record} {...{ input, problems, onChange, onRun }} />
          <LastActionField record={record} {...{ input, problems, onChange }} />
          <Choice
            label="Requests of $.Http"
            value={input.http}
            choices={{
              read: 'Send GET, refuse others',
              all: 'Send all, also those that change something',
              none: 'Send none',
            }}
            onChange={(http) => onChange({ http })}
          />
        </div>
      </details>
    </div>
  )
}

type Part = {
  input: TestInput
  problems: InputProblems
  onChange: (change: Partial<TestInput>) => void
  onRun: () => void
}

function StorageField({ record, input, problems, onChange, onRun }: Part & { record: Written }) {
  const { past } = input
  const size = storedSize(record.storage)
  return (
    <>
      <Choice
        label="Storage"
        value={input.storage}
        choices={{
          stored: size === null ? 'The stored value: nothing' : `The stored value: ${size}`,
          ...(past?.state == null ? {} : { past: `As run ${past.id} saw it` }),
          empty: 'Empty',
          typed: 'Typed',
        }}
        onChange={(storage) => onChange({ storage })}
      />
      {input.storage === 'past' && (
        <Code text={JSON.stringify(past?.state?.storage, null, 2)} name={`storage before run ${past?.id}`} />
      )}
      {input.storage === 'typed' && (
        <JsonField
          label="Stored value"
          value={input.typedStorage}
          problem={problems.typedStorage}
          onChange={(typedStorage) => onChange({ typedStorage })}
          onRun={onRun}
        />
      )}
    </>
  )
}

function LastActionField({ record, input, problems, onChange }: Omit<Part, 'onRun'> & { record: Written }) {
  const { past } = input
  return (
    <>
      <Choice
        label="Last action"
        value={input.lastAction}
        choices={{
          present: `The present one: ${describeTrigger(record.last_trigger)}`,
          ...(past?.state == null
            ? {}
            : { past: `That of run ${past.id}: ${describeTrigger(past.state.last_trigger)}` }),
          none: 'None yet',
          LONG: 'LONG',
          SHORT: 'SHORT',
          EXIT: 'EXIT',
        }}
        onChange={(lastAction) => onChange({ lastAction })}
      />
      {isTyped(input.lastAction) && (
        <TextField
          label="Price of the last action"
          inputMode="decimal"
          isCode
          value={input.lastPrice}
          placeholder="None"
          problem={problems.lastPrice}
          onChange={(event) => onChange({ lastPrice: event.target.value })}
        />
      )}
    </>
  )
}
