import { type ReactNode, useId } from 'react'
import { indentJson } from '../../../base/json-text.ts'
import { describeMoment, formatMoment } from '../../../base/times.ts'
import { useNow } from '../../../base/use-now.ts'
import { client } from '../../../data/client.ts'
import { useQuery } from '../../../data/use-query.ts'
import { TextField } from '../../../parts/Field.tsx'
import { JsonField } from './JsonField.tsx'
import type { CodeKind, Written } from './strategy.ts'
import type { InputProblems, TestInput } from './test-input.ts'
import { inputOf } from './use-start.ts'
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
        <Payload
          webhookId={'data_webhook_id' in record ? record.data_webhook_id : null}
          {...{ input, problems, onChange, onRun }}
        />
      )}
      <details className={styles.more} open={kind === 'code'}>
        <summary>Price, storage, last action, requests</summary>
        <div className={styles.fields}>
          <TextField
            label="Price"
            inputMode="decimal"
            isCode
            value={input.price}
            disabled={record.price_symbol === null}
            placeholder={record.use_price ? 'The current price' : 'None'}
            hint={
              record.price_symbol === null
                ? 'The settings name no price symbol.'
                : `The value of $.Price for ${record.price_symbol}`
            }
            problem={problems.price}
            onChange={(event) => onChange({ price: event.target.value })}
          />
          <StorageField {...{ input, problems, onChange, onRun }} />
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

const shownDeliveries = 20

function Payload({ webhookId, input, problems, onChange, onRun }: Part & { webhookId: number | null }) {
  const now = useNow(60_000)
  const { data } = useQuery({
    queryKey: ['deliveries', 'latest', webhookId],
    queryFn: async () => {
      const list = await client.webhooks.data.deliveries(webhookId!, { limit: shownDeliveries })
      return Array.isArray(list) ? list : list.items
    },
    enabled: webhookId !== null,
  })
  const take = async (id: number) => {
    const delivery = await client.deliveries.get(id)
    onChange({ ...inputOf(delivery), payload: indentJson(delivery.body ?? '') })
  }
  const listed = data?.map(({ id, received_at }) => ({
    id,
    text: `Delivery ${id}, ${formatMoment(received_at, now)}`,
  }))
  const chosen = input.delivery?.id
  // One that the address names may be older than the latest.
  if (chosen !== undefined && !listed?.some(({ id }) => id === chosen))
    listed?.push({ id: chosen, text: `Delivery ${chosen}` })
  return (
    <>
      <Select
        label="Payload from"
        value={chosen === undefined ? '' : String(chosen)}
        onChange={(id) => (id === '' ? onChange({ delivery: null }) : void take(Number(id)))}
      >
        <option value="">{data?.length === 0 ? 'Typed; no delivery has come in yet' : 'Typed'}</option>
        {listed?.map(({ id, text }) => (
          <option
            key={id}
            value={id}
            title={describeMoment(data?.find((one) => one.id === id)?.received_at ?? '')}
          >
            {text}
          </option>
        ))}
      </Select>
      <JsonField
        label="Payload"
        value={input.payload}
        problem={problems.payload}
        // A changed payload is no longer the one that came in.
        onChange={(payload) => onChange({ payload, delivery: null })}
        onRun={onRun}
      />
    </>
  )
}

function StorageField({ input, problems, onChange, onRun }: Part) {
  return (
    <>
      <Choice
        label="Storage"
        value={input.storage}
        choices={{ stored: 'The stored value', empty: 'Empty', typed: 'Typed' }}
        onChange={(storage) => onChange({ storage })}
      />
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
  const { action, price } = record.last_trigger
  const present = action === null ? 'none yet' : price === null ? action : `${action} at ${price}`
  const isTyped = input.lastAction !== 'present' && input.lastAction !== 'none'
  return (
    <>
      <Choice
        label="Last action"
        value={input.lastAction}
        choices={{
          present: `The present one: ${present}`,
          none: 'None yet',
          LONG: 'LONG',
          SHORT: 'SHORT',
          EXIT: 'EXIT',
        }}
        onChange={(lastAction) => onChange({ lastAction })}
      />
      {isTyped && (
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

function Choice<Value extends string>({
  label,
  value,
  choices,
  onChange,
}: {
  label: string
  value: Value
  choices: Record<Value, string>
  onChange: (value: Value) => void
}) {
  return (
    <Select label={label} value={value} onChange={(chosen) => onChange(chosen as Value)}>
      {Object.entries<string>(choices).map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </Select>
  )
}

function Select({
  label,
  value,
  onChange,
  children,
}: {
  label: string
  value: string
  onChange: (value: string) => void
  children: ReactNode
}) {
  const id = useId()
  return (
    <div className={styles.select}>
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
        {children}
      </select>
    </div>
  )
}
