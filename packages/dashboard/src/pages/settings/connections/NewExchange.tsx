import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { client } from '../../../data/client.ts'
import { useQuery } from '../../../data/use-query.ts'
import { Button } from '../../../parts/Button.tsx'
import { CheckField, SelectField } from '../../../parts/Choices.tsx'
import { Facts } from '../../../parts/Facts.tsx'
import { TextField } from '../../../parts/Field.tsx'
import { FormDialog } from '../../../parts/FormDialog.tsx'
import { Failure, Notice, Skeleton } from '../../../parts/Notice.tsx'
import { Foreign } from '../../../parts/Values.tsx'
import { SecretField } from '../fields.tsx'
import { textOf } from '../form-data.ts'
import styles from '../settings.module.css'
import { Findings } from './Account.tsx'
import { type CredentialField, credentialFields, wordsOf } from './credentials.ts'
import { connectableQuery, neededQuery } from './exchanges.ts'

type Tested = Awaited<ReturnType<typeof client.connections.test>>

/** Connects an exchange. The service asks the exchange before it stores anything. */
export function NewExchange({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient()
  const { data: exchanges, error } = useQuery(connectableQuery)
  const [exchangeId, setExchangeId] = useState<number | null>(null)
  const [tested, setTested] = useState<Tested | null>(null)
  const [sending, setSending] = useState<'test' | 'connect' | null>(null)
  const isTest = useRef(false)
  const send = async (data: FormData) => {
    setTested(null)
    setSending(isTest.current ? 'test' : 'connect')
    try {
      const given = read(data)
      if (isTest.current) return setTested(await client.connections.test(given))
      await client.connections.create({ ...given, name: textOf(data, 'name').trim() })
    } finally {
      isTest.current = false
      setSending(null)
    }
    await queries.invalidateQueries({ queryKey: ['connections'] })
    onClose()
  }
  const needed = useQuery({ ...neededQuery(exchangeId ?? 0), enabled: exchangeId !== null })
  const why = needed.data === undefined ? 'Choose an exchange first.' : null
  return (
    <FormDialog
      title="Connect an exchange"
      word="Connect"
      onSend={send}
      onClose={onClose}
      fields={['exchange_id', 'name', 'demo', ...Object.keys(credentialFields)]}
      unavailable={why}
      isBusy={sending === 'connect'}
      other={
        <Button
          isBusy={sending === 'test'}
          unavailable={why ?? (sending === 'connect' ? 'The service connects it now.' : null)}
          onClick={(event) => {
            isTest.current = true
            event.currentTarget.form?.requestSubmit()
          }}
        >
          Test
        </Button>
      }
    >
      {(problemOf) => (
        <>
          {error !== null && <Failure error={error} />}
          <SelectField
            label="Exchange"
            name="exchange_id"
            autoFocus
            value={exchangeId ?? ''}
            problem={problemOf('exchange_id')}
            onChange={(event) => setExchangeId(Number(event.target.value))}
          >
            <option value="" disabled>
              Choose one
            </option>
            {exchanges?.map(({ id, name, service }) => (
              <option key={id} value={id}>
                {name}, {service}
              </option>
            ))}
          </SelectField>
          {exchangeId !== null && needed.data === undefined && needed.error === null && (
            <Skeleton lines={2} />
          )}
          {needed.error !== null && <Failure error={needed.error} onRetry={() => void needed.refetch()} />}
          {exchangeId !== null && needed.data !== undefined && (
            <>
              <Notice>
                Make a key at the exchange for this installation alone. It may read and trade, and never
                withdraw.
              </Notice>
              <Credentials key={exchangeId} fields={needed.data} problemOf={problemOf} />
              <TextField
                label="Name"
                name="name"
                autoComplete="off"
                hint="How you recognise the account."
                problem={problemOf('name')}
              />
              <CheckField
                label="It is a demo account"
                name="demo"
                hint="An account of the exchange’s demo or testnet, without real money, with a key from there."
                problem={problemOf('demo')}
              />
            </>
          )}
          <div aria-live="polite">{tested !== null && <TestResult tested={tested} />}</div>
        </>
      )}
    </FormDialog>
  )
}

function Credentials({
  fields,
  problemOf,
}: {
  fields: readonly CredentialField[]
  problemOf: (field: string) => string | undefined
}) {
  return fields.map((field) => {
    const { label, isSecret } = credentialFields[field]
    const Field = isSecret ? SecretField : OpenField
    return <Field key={field} label={label} name={field} problem={problemOf(field)} />
  })
}

function OpenField(props: { label: string; name: string; problem: string | undefined }) {
  return <TextField {...props} autoComplete="off" isCode />
}

function TestResult({ tested }: { tested: Tested }) {
  return (
    <div className={styles.result}>
      <Notice>The exchange accepts the key. Nothing is stored yet.</Notice>
      <Facts facts={wordsOf(tested).map(([name, text]) => [name, <Foreign key={name} text={text} />])} />
      <Findings {...tested} />
    </div>
  )
}

function read(data: FormData) {
  const fields = Object.keys(credentialFields) as CredentialField[]
  const given = fields.flatMap((field) => (data.has(field) ? [[field, textOf(data, field)]] : []))
  const credentials: { [field in CredentialField]?: string } = Object.fromEntries(given)
  return { exchange_id: Number(data.get('exchange_id')), demo: data.get('demo') !== null, ...credentials }
}
