import { useQueryClient } from '@tanstack/react-query'
import { client } from '../../data/client.ts'
import type { Kind, Webhook } from '../../data/webhooks.ts'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { Notice } from '../../parts/Notice.tsx'
import { Foreign } from '../../parts/Values.tsx'
import { useUsers } from './users.ts'

/** Asks before a webhook is deleted, and names what still uses it: then the service refuses. */
export function DeleteWebhook({
  kind,
  webhook,
  onClose,
  onDeleted,
}: {
  kind: Kind
  webhook: Webhook
  onClose: () => void
  onDeleted: () => void
}) {
  const queries = useQueryClient()
  const users = useUsers(kind, webhook.id)
  const isUsed = users !== undefined && users.length > 0
  const remove = async () => {
    await client.webhooks[kind].delete(webhook.id)
    onDeleted()
    void queries.invalidateQueries({ queryKey: ['webhooks'] })
  }
  return (
    <FormDialog
      title="Delete this webhook"
      word="Delete"
      look="danger"
      onSend={remove}
      onClose={onClose}
      unavailable={isUsed ? 'Something still uses this webhook.' : null}
    >
      <p>
        <Foreign text={webhook.name || `Webhook ${webhook.id}`} />
      </p>
      <p>
        Its address stops working at once, also for those with whom you share it. Its deliveries are deleted.
        Nobody can undo this.
      </p>
      {isUsed && (
        <Notice tone="warning">
          <p>These use it. Give each of them another webhook first:</p>
          <ul>
            {users.map(({ id, name, what }) => (
              <li key={`${what} ${id}`}>
                {what} <Foreign text={name || String(id)} />
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </FormDialog>
  )
}
