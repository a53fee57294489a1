import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { client } from '../../data/client.ts'
import { PayloadSender } from '../../data/post.ts'
import { Button } from '../../parts/Button.tsx'
import { TextArea } from '../../parts/Field.tsx'
import { Form } from '../../parts/Form.tsx'
import { type Example, nextPayload, payloads } from './example.ts'
import styles from './start.module.css'

/** Posts a payload to the example, as any sender does. */
export function SendPayload({ example, onSent }: { example: Example; onSent: (deliveryId: number) => void }) {
  const queries = useQueryClient()
  const [payload, setPayload] = useState(() => nextPayload(example.reaction?.last_trigger.action))
  const [sender] = useState(() => new PayloadSender())
  const send = async () => {
    // Read again: the address may have changed since the page was opened.
    const { url } = await client.webhooks.data.get(example.dataWebhook!.id)
    onSent(await sender.deliver(url, payload))
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
