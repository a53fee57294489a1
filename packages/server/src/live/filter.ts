import type { Belonging, BelongingIds, Kind } from './changes.ts'

/** Which events a stream sends. A field that is absent selects all. `webhookId` is of either kind of webhook. */
export type Filter = BelongingIds & {
  kinds?: ReadonlySet<Kind>
  dataWebhookId?: number
  botWebhookId?: number
}

/** An event that does not belong to any strategy, for example, does not pass a filter for strategies. */
export function passes(filter: Filter, kind: Kind, of: Belonging): boolean {
  return (
    (filter.kinds === undefined || filter.kinds.has(kind)) &&
    (filter.strategyId === undefined || filter.strategyId === of.strategyId) &&
    (filter.webhookId === undefined || filter.webhookId === of.webhookId) &&
    (filter.dataWebhookId === undefined ||
      (of.webhookKind === 'data' && filter.dataWebhookId === of.webhookId)) &&
    (filter.botWebhookId === undefined ||
      (of.webhookKind === 'bot' && filter.botWebhookId === of.webhookId)) &&
    (filter.botId === undefined || filter.botId === of.botId) &&
    (filter.runId === undefined || filter.runId === of.runId)
  )
}

/** Filters that select the same have the same key. */
export function filterKey(filter: Filter): string {
  const { kinds, strategyId, webhookId, dataWebhookId, botWebhookId, botId, runId } = filter
  const ids = [strategyId, webhookId, dataWebhookId, botWebhookId, botId, runId]
  return `${kinds === undefined ? '*' : [...kinds].sort()} ${ids}`
}
