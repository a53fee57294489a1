import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { indentJson } from '../../../base/json-text.ts'
import { plainText } from '../../../base/text.ts'
import { describeMoment, formatMoment } from '../../../base/times.ts'
import { useNow } from '../../../base/use-now.ts'
import { client } from '../../../data/client.ts'
import { testPayloadsQuery } from '../../../data/test-payloads.ts'
import { useQuery } from '../../../data/use-query.ts'
import { Button } from '../../../parts/Button.tsx'
import { FormDialog } from '../../../parts/FormDialog.tsx'
import { Failure } from '../../../parts/Notice.tsx'
import { SavePayload } from '../../../parts/SavePayload.tsx'
import { Select } from './Choice.tsx'
import { JsonField } from './JsonField.tsx'
import type { InputProblems, PayloadSource, TestInput } from './test-input.ts'
import { inputOf } from './use-start.ts'
import styles from './write.module.css'

const shownDeliveries = 20

/** The payload of a test run: that of a delivery, one that the user keeps under a name, or a typed one. */
export function PayloadField({
  webhookId,
  input,
  problems,
  onChange,
  onRun,
}: {
  webhookId: number | null
  input: TestInput
  problems: InputProblems
  onChange: (change: Partial<TestInput>) => void
  onRun: () => void
}) {
  const [dialog, setDialog] = useState<'save' | 'delete' | null>(null)
  const [error, setError] = useState<unknown>(null)
  const { source } = input
  const choose = async (value: string) => {
    setError(null)
    try {
      onChange(await chosen(value))
    } catch (thrown) {
      setError(thrown)
    }
  }
  const close = () => setDialog(null)
  return (
    <>
      <Sources webhookId={webhookId} source={source} onChoose={choose} />
      {error !== null && <Failure error={error} />}
      <JsonField
        label="Payload"
        value={input.payload}
        problem={problems.payload}
        // A changed payload is no longer the one that came in or is kept.
        onChange={(payload) => onChange({ payload, source: null, sent: null })}
        onRun={onRun}
      />
      {webhookId !== null && (
        <div className={styles.payloadActions}>
          {source === null && <Button onClick={() => setDialog('save')}>Save as test payload …</Button>}
          {source?.kind === 'kept' && (
            <Button onClick={() => setDialog('delete')}>Delete test payload …</Button>
          )}
        </div>
      )}
      {dialog === 'save' && webhookId !== null && (
        <SavePayload
          content={{ webhook_id: webhookId, body: input.payload }}
          onClose={close}
          onSaved={(id, name) => onChange({ source: { kind: 'kept', id, name } })}
        />
      )}
      {dialog === 'delete' && source?.kind === 'kept' && (
        <DeletePayload {...source} onClose={close} onDeleted={() => onChange({ source: null, sent: null })} />
      )}
    </>
  )
}

/** What the input becomes for a chosen source, such as `delivery 7`. */
async function chosen(value: string): Promise<Partial<TestInput>> {
  const [kind, id] = value.split(' ')
  if (kind === 'delivery') {
    const delivery = await client.deliveries.get(Number(id))
    return { ...inputOf(delivery), payload: indentJson(delivery.body ?? '') }
  }
  if (kind !== 'kept') return { source: null, sent: null }
  const { name, body, headers, ip } = await client.testPayloads.get(Number(id))
  return {
    payload: indentJson(body),
    source: { kind, id: Number(id), name },
    sent: headers === null || ip === null ? null : { headers, ip },
  }
}

function Sources({
  webhookId,
  source,
  onChoose,
}: {
  webhookId: number | null
  source: PayloadSource | null
  onChoose: (value: string) => Promise<void>
}) {
  const now = useNow(60_000)
  const { data: deliveries } = useQuery({
    queryKey: ['deliveries', 'latest', webhookId],
    queryFn: async () => {
      const list = await client.webhooks.data.deliveries(webhookId!, { limit: shownDeliveries })
      return Array.isArray(list) ? list : list.items
    },
    enabled: webhookId !== null,
  })
  const { data: kept } = useQuery({ ...testPayloadsQuery(webhookId ?? 0), enabled: webhookId !== null })
  const listed = deliveries?.map(({ id, received_at }) => ({
    id,
    text: `Delivery ${id}, ${formatMoment(received_at, now)}`,
    title: describeMoment(received_at),
  }))
  // One that the address names may be older than the latest.
  if (source?.kind === 'delivery' && !listed?.some(({ id }) => id === source.id))
    listed?.push({ id: source.id, text: `Delivery ${source.id}`, title: '' })
  return (
    <Select
      label="Payload from"
      value={source === null ? '' : `${source.kind} ${source.id}`}
      onChange={(value) => void onChoose(value)}
    >
      <option value="">{deliveries?.length === 0 ? 'Typed; no delivery has come in yet' : 'Typed'}</option>
      {kept !== undefined && kept.length > 0 && (
        <optgroup label="Test payloads">
          {kept.map(({ id, name }) => (
            <option key={id} value={`kept ${id}`}>
              {plainText(name)}
            </option>
          ))}
        </optgroup>
      )}
      {listed !== undefined && listed.length > 0 && (
        <optgroup label="Deliveries">
          {listed.map(({ id, text, title }) => (
            <option key={id} value={`delivery ${id}`} title={title}>
              {text}
            </option>
          ))}
        </optgroup>
      )}
    </Select>
  )
}

function DeletePayload({
  id,
  name,
  onClose,
  onDeleted,
}: {
  id: number
  name: string
  onClose: () => void
  onDeleted: () => void
}) {
  const queries = useQueryClient()
  return (
    <FormDialog
      title="Delete test payload"
      word="Delete"
      look="danger"
      onSend={async () => {
        await client.testPayloads.delete(id)
        await queries.invalidateQueries({ queryKey: ['test-payloads'] })
        onDeleted()
        onClose()
      }}
      onClose={onClose}
    >
      <p>“{plainText(name)}” is deleted. Its text stays in the editor until you leave the page.</p>
    </FormDialog>
  )
}
