import type { Delivery } from '@tickwright/client'
import { useQuery } from '../../data/use-query.ts'
import { type Kind, webhookQuery } from '../../data/webhooks.ts'
import { Button } from '../../parts/Button.tsx'
import { Code } from '../../parts/Code.tsx'
import { Buttons, Dialog } from '../../parts/Dialog.tsx'
import { Failure, Notice, Skeleton } from '../../parts/Notice.tsx'
import { curlOf } from './curl.ts'

/** The command that posts a delivery again, to copy. */
export function AsCurl({
  kind,
  delivery,
  onClose,
}: {
  kind: Kind
  delivery: Pick<Delivery, 'webhook_id' | 'body' | 'headers'>
  onClose: () => void
}) {
  const { data: webhook, error, refetch } = useQuery(webhookQuery(kind, delivery.webhook_id))
  return (
    <Dialog title="As a curl command" onClose={onClose} isWide>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {webhook === undefined && error === null && <Skeleton />}
      {webhook !== undefined && (
        <>
          <Notice tone="warning">
            The command contains the secret address of the webhook
            {webhook.is_safe && ', and YOUR_PASSWORD stands for its password'}.
          </Notice>
          <Code
            name="command"
            text={curlOf({
              url: webhook.url,
              body: delivery.body ?? '',
              contentType: delivery.headers['content-type'],
              needsKey: webhook.is_safe,
            })}
          />
        </>
      )}
      <Buttons>
        <Button onClick={onClose}>Back</Button>
      </Buttons>
    </Dialog>
  )
}
