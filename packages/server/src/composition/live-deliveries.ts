import type { Change } from '../live/changes.ts'
import type { Source } from '../live/source.ts'
import type { Deliveries, Delivery } from '../webhooks/deliveries.ts'
import { presentDelivery } from '../webhooks/delivery-routes.ts'
import type { StoredPayload } from '../webhooks/ingestion.ts'
import { deliveryOf } from '../webhooks/stored-delivery.ts'
import { type Owners, ofUsers, type Shown, storedOrRead, together } from './live-reading.ts'

/** Shows deliveries that this node has just stored as it has stored them, and reads the others. */
export function deliverySource(
  deliveries: Deliveries,
  { webhooks, strategies }: { webhooks: Owners; strategies: Owners },
): Source {
  const ownersOf = (changes: Change[]) => webhooks.of(changes.map(({ webhookId }) => webhookId))
  const read = ofUsers(
    ownersOf,
    together((userIds, ids) => deliveries.byId(userIds, ids)),
    show,
  )
  const showStored = async (payloads: readonly StoredPayload[]) => {
    const isOwn = await ownStrategies(strategies, payloads)
    return (userId: number, payload: StoredPayload) => {
      const delivery = deliveryOf(payload, (strategyId) => isOwn(userId, strategyId))
      return delivery && show(delivery)
    }
  }
  return storedOrRead(ownersOf, showStored, read)
}

function show(delivery: Delivery): Shown {
  return [presentDelivery(delivery), { webhookId: delivery.webhookId, webhookKind: 'data' }]
}

/** Whether a strategy that such a payload has triggered belongs to a user. */
async function ownStrategies(owners: Owners, payloads: readonly StoredPayload[]) {
  const ids = payloads.flatMap(({ runs }) => runs.map(({ strategyId }) => strategyId))
  const found = await owners.of(ids)
  const byId = new Map(ids.map((id, index) => [id, found[index]![0]]))
  return (userId: number, strategyId: number) => byId.get(strategyId) === userId
}
