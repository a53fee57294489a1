/** The stored deliveries that the code of a backtest runs on: found, checked, and copied, because the service deletes old ones. */
import { createHash } from 'node:crypto'
import { and, eq, gt, gte, inArray, lt, lte, sql } from 'drizzle-orm'
import { invalidField, notFound } from '../../base/errors.ts'
import type { Db } from '../../db/database.ts'
import { backtestParts, dataWebhooks, deliveries } from '../../db/schema.ts'
import { boundsOf } from '../../db/time-bounds.ts'
import { packLater } from './packed.ts'

export const mostDeliveries = 100_000
/** Of bodies and headers together. */
export const mostDeliveryBytes = 64 * 1024 * 1024
/** A page is in memory at once. */
const page = { deliveries: 500, bytes: 256 * 1024 }
/** To look at more of them would hold up the node for longer: it also trades. */
const foundAtOnce = 2_000
const dayMs = 86_400_000

/** Times in Unix ms, both included. `field` is the field of the request that says when they begin. */
type Asked = { userId: number; webhookId: number; fromMs: number; toMs: number; field: string }

/** In the order in which they came. `sizes` are in bytes. */
export type FoundDeliveries = { ids: number[]; times: Float64Array; sizes: number[] }

/**
 * Which deliveries there are, without their bodies.
 * @param days for how many the service keeps them
 * @throws {AppError} 404 for a webhook that the user does not own; 400 if there are none, too many, or some were deleted
 */
export async function findDeliveries(db: Db, asked: Asked, days: number): Promise<FoundDeliveries> {
  const { webhookId, fromMs, toMs } = asked
  await demandWhole(db, asked, days)
  const span = { since: new Date(fromMs), until: new Date(toMs) }
  const { low = 0, high = Number.MAX_SAFE_INTEGER } = await boundsOf(db, deliveriesTable, span)
  const { id, body, headers, receivedAt } = deliveries
  const sized = {
    ...{ id, receivedAt },
    size: sql<number>`octet_length(${body}) + octet_length(${headers}::text)`.mapWith(Number),
  }
  const after = (last: number) =>
    and(
      ...[eq(deliveries.webhookId, webhookId), gt(id, last), lt(id, high)],
      ...[gte(receivedAt, span.since), lte(receivedAt, span.until)],
    )
  const rows: { id: number; receivedAt: Date; size: number }[] = []
  for (let part = foundAtOnce; part === foundAtOnce && rows.length <= mostDeliveries; ) {
    const last = rows.at(-1)?.id ?? low
    const some = await db.select(sized).from(deliveries).where(after(last)).orderBy(id).limit(foundAtOnce)
    rows.push(...some)
    part = some.length
  }
  const reach = `from ${isoOf(fromMs)} to ${isoOf(toMs)}`
  if (rows.length === 0) throw invalidField('webhook_id', `has no stored deliveries ${reach}`)
  if (rows.length > mostDeliveries) {
    throw invalidField(
      'webhook_id',
      `has more than ${mostDeliveries} deliveries ${reach}, and no more are allowed: choose a shorter time`,
    )
  }
  const bytes = rows.reduce((sum, { size }) => sum + size, 0)
  if (bytes > mostDeliveryBytes) {
    throw invalidField(
      'webhook_id',
      `has deliveries of ${bytes} bytes ${reach}; at most ${mostDeliveryBytes} are allowed: choose a shorter time`,
    )
  }
  // Nodes have clocks of their own, so an id may be a little older than the one before it.
  rows.sort((a, b) => a.receivedAt.getTime() - b.receivedAt.getTime() || a.id - b.id)
  return {
    ids: rows.map(({ id }) => id),
    times: Float64Array.from(rows, ({ receivedAt }) => receivedAt.getTime()),
    sizes: rows.map(({ size }) => size),
  }
}

const deliveriesTable = { name: 'deliveries', time: 'received_at' }

/** @throws {AppError} 404; 400 if the service has deleted deliveries of this time */
async function demandWhole(db: Db, { userId, webhookId, fromMs, field }: Asked, days: number): Promise<void> {
  const [webhook] = await db
    .select({ createdAt: dataWebhooks.createdAt })
    .from(dataWebhooks)
    .where(and(eq(dataWebhooks.id, webhookId), eq(dataWebhooks.userId, userId)))
  if (webhook === undefined) throw notFound('data webhook', webhookId)
  const keptFromMs = Date.now() - days * dayMs
  if (fromMs >= keptFromMs || webhook.createdAt.getTime() >= keptFromMs) return
  const [earliest] = await db
    .select({ receivedAt: deliveries.receivedAt })
    .from(deliveries)
    .where(eq(deliveries.webhookId, webhookId))
    .orderBy(deliveries.id)
    .limit(1)
  const left =
    earliest === undefined
      ? 'the webhook has none'
      : `the earliest one of the webhook is of ${earliest.receivedAt.toISOString()}`
  throw invalidField(
    field,
    `must be ${isoOf(keptFromMs)} or later: the service keeps deliveries for ${days} days, and ${left}`,
  )
}

/**
 * Copies deliveries into the parts of a backtest, page by page.
 * @returns the digest of all that they are
 * @throws {AppError} 400 if the service has deleted one of them meanwhile
 */
export async function copyDeliveries(tx: Db, backtestId: number, found: FoundDeliveries): Promise<string> {
  const hash = createHash('sha256')
  let number = 0
  for (const { first, end } of pagesOf(found.sizes)) {
    const lines = await linesOf(tx, found, first, end)
    for (const line of lines) hash.update(line).update('\n')
    const content = await packLater(`[${lines.join()}]`)
    const place = { bot: 0, kind: 'delivery' as const, number, first, records: end - first }
    await tx.insert(backtestParts).values({ backtestId, ...place, content })
    number += 1
  }
  return hash.digest('hex')
}

/** Some of them as JSON texts of {@link PackedDelivery}. */
async function linesOf(tx: Db, { ids, times }: FoundDeliveries, first: number, end: number) {
  const asked = ids.slice(first, end)
  const { id, body, headers, ip } = deliveries
  const rows = await tx.select({ id, body, headers, ip }).from(deliveries).where(inArray(id, asked))
  if (rows.length < asked.length) {
    throw invalidField('webhook_id', 'has deliveries that the service has just deleted: choose a later time')
  }
  const byId = new Map(rows.map((row) => [row.id, row]))
  return asked.map((each, index) => {
    const { body, headers, ip } = byId.get(each)!
    const packed: PackedDelivery = [times[first + index]!, body, headers, ip]
    return JSON.stringify(packed)
  })
}

/** How a part has a delivery. */
export type PackedDelivery = [atMs: number, body: string, headers: Record<string, string>, ip: string]

function* pagesOf(sizes: readonly number[]): Generator<{ first: number; end: number }> {
  let [first, bytes] = [0, 0]
  for (const [index, size] of sizes.entries()) {
    if (index > first && (index - first >= page.deliveries || bytes + size > page.bytes)) {
      yield { first, end: index }
      ;[first, bytes] = [index, 0]
    }
    bytes += size
  }
  if (first < sizes.length) yield { first, end: sizes.length }
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString()
}
