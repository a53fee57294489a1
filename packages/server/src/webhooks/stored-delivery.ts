import { type Delivery, liveBodyLimit } from './deliveries.ts'
import type { StoredPayload } from './ingestion.ts'

/**
 * The delivery as `Deliveries.byId` would read it right after it was stored: each payload that a live stream shows would
 * cost two rows to read. `undefined` for a payload of another user, whose address only the database has.
 * @param isOwn whether a strategy belongs to the owner of the webhook
 */
export function deliveryOf(
  { id, payload, runs }: StoredPayload,
  isOwn: (strategyId: number) => boolean,
): Delivery | undefined {
  const { webhookId, sender, body, headers, ip, idempotencyKey, receivedAtMs } = payload
  if (sender !== null) return undefined
  return {
    ...{ id, webhookId, headers, ip, idempotencyKey, senderId: null, senderEmail: null },
    body: Buffer.byteLength(body) <= liveBodyLimit ? body : null,
    receivedAt: new Date(receivedAtMs),
    reactions: runs.length,
    runs: runs
      .filter(({ strategyId }) => isOwn(strategyId))
      .map((run) => ({ ...run, trigger: 'webhook', status: 'QUEUED' })),
  }
}
