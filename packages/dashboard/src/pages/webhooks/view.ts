/** What the address of a webhook's page says: the tab, and which deliveries. Every view is a link. */
import { beginningOfRange, type Range, rangeOf } from '../../base/ranges.ts'
import { isRunStatus, type RunStatus } from '../../data/run-result.ts'

export type DeliveryFilters = { status?: RunStatus; range?: Range; q?: string }
export type WebhookView = DeliveryFilters & {
  tab?: string
  /** The delivery of a bot webhook: such an address leads to its page. */
  delivery?: number
}

/** Reads what an address says. What is nothing of that is left out: anybody can write an address. */
export function readWebhookView(search: Record<string, unknown>): WebhookView {
  const { tab, q } = search
  const status = isRunStatus(search.status) ? search.status : undefined
  const range = rangeOf(search.range)
  const delivery = Number(search.delivery)
  return {
    ...(typeof tab === 'string' ? { tab } : {}),
    ...(status === undefined ? {} : { status }),
    ...(range === undefined ? {} : { range }),
    // The router reads digits as a number.
    ...((typeof q === 'string' || typeof q === 'number') && q !== '' ? { q: String(q).slice(0, 200) } : {}),
    ...(Number.isSafeInteger(delivery) && delivery > 0 ? { delivery } : {}),
  }
}

type Listed = { webhook_id: number; body: string | null; runs: readonly { status: string }[] }

/** Whether a delivery of a live event belongs into the list. Without its payload, only the service knows: then `null`. */
export function belongs(
  { webhook_id, body, runs }: Listed,
  webhookId: number,
  { status, q }: DeliveryFilters,
): boolean | null {
  if (webhook_id !== webhookId) return false
  if (status !== undefined && !runs.some((run) => run.status === status)) return false
  if (q === undefined) return true
  return body === null ? null : body.toLowerCase().includes(q.toLowerCase())
}

/** What the service is asked for. A range ends now, so it begins at a moment that the caller keeps. */
export function requestOf(webhookId: number, { status, range, q }: DeliveryFilters, now: number) {
  return {
    webhook_id: webhookId,
    ...(status === undefined ? {} : { status }),
    ...(q === undefined ? {} : { q }),
    ...(range === undefined ? {} : { since: beginningOfRange(range, now) }),
  }
}
