import type { Change } from '../live/changes.ts'
import type { Found, Source } from '../live/source.ts'
import type { Deliveries, Delivery } from '../webhooks/deliveries.ts'
import { presentDelivery } from '../webhooks/delivery-routes.ts'
import type { StoredPayload } from '../webhooks/ingestion.ts'
import { deliveryOf } from '../webhooks/stored-delivery.ts'
import { type Owners, ofUsers, type Shown, together } from './live-reading.ts'

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
  return async (changes, listeners, stored) => {
    const owners = await ownersOf(changes)
    const heard = owners.map((users) => users.find((userId) => listeners.has(userId)))
    const payloads = heard.map((userId, index) =>
      userId === undefined ? undefined : (stored[index] as StoredPayload | undefined),
    )
    const isOwn = await ownStrategies(strategies, payloads)
    const found = payloads.map((payload, index): Found[] | undefined => {
      const userId = heard[index]
      if (userId === undefined) return []
      const delivery = payload && deliveryOf(payload, (strategyId) => isOwn(userId, strategyId))
      if (delivery === undefined) return undefined
      const [record, of] = show(delivery)
      return [{ ...of, userId, record }]
    })
    const unknown = changes.filter((_, index) => found[index] === undefined)
    const others = unknown.length === 0 ? [] : await read(unknown, listeners)
    return found.map((each) => each ?? others.shift()!)
  }
}

function show(delivery: Delivery): Shown {
  return [presentDelivery(delivery), { webhookId: delivery.webhookId, webhookKind: 'data' }]
}

/** Whether a strategy that such a payload has triggered belongs to a user. */
async function ownStrategies(owners: Owners, payloads: readonly (StoredPayload | undefined)[]) {
  const ids = payloads.flatMap((payload) => payload?.runs.map(({ strategyId }) => strategyId) ?? [])
  const found = await owners.of(ids)
  const byId = new Map(ids.map((id, index) => [id, found[index]![0]]))
  return (userId: number, strategyId: number) => byId.get(strategyId) === userId
}
