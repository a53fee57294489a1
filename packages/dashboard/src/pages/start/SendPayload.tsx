import { useQueryClient } from '@tanstack/react-query'
import { ConnectionError } from '@tickwright/client'
import { useRef, useState } from 'react'
import { client } from '../../data/client.ts'
import { deliver, newKey } from '../../data/post.ts'
import { Button } from '../../parts/Button.tsx'
import { TextArea } from '../../parts/Field.tsx'
import { Form } from '../../parts/Form.tsx'
import { type Example, nextPayload, payloads } from './example.ts'
import styles from './start.module.css'

/** Posts a payload to the example, as any sender does. */
export function SendPayload({ example, onSent }: { example: Example; onSent: (deliveryId: number) => void }) {
  const queries = useQueryClient()
  const [payload, setPayload] = useState(() => nextPayload(example.reaction?.last_trigger.action))
  // An attempt whose answer was lost is repeated with its key, so that it counts once.
  const lost = useRef<{ payload: string; key: string } | null>(null)
  const send = async () => {
    // Read again: the address may have changed since the page was opened.
    const { url } = await client.webhooks.data.get(example.dataWebhook!.id)
    const key = lost.current?.payload === payload ? lost.current.key : newKey()
    lost.current = null
    try {
      onSent(await deliver(url, payload, key))
    } catch (error) {
      if (error instanceof ConnectionError) lost.current = { payload, key }
      throw error
    }
    void queries.invalidateQueries({ queryKey: ['traces', 'delivery'] })
  }
  return (
    <Form onSend={send}>
      {(isSending) => (
        <>
          <TextArea
            label="Payload"
            value={payload}
            onChange={(event) => setPayload(event.target.value)}
            rows={3}
            isCode
            hint="Any JSON will do. This code reads price: at or above the average of the last twenty it opens a position in ETH/USDT, below it closes it."
          />
          <div className={styles.buttons}>
            <Button onClick={() => setPayload(payloads.opens)}>Price 100: opens</Button>
            <Button onClick={() => setPayload(payloads.closes)}>Price 90: closes</Button>
            <Button type="submit" look="primary" isBusy={isSending} className={styles.send}>
              Send
            </Button>
          </div>
        </>
      )}
    </Form>
  )
}
