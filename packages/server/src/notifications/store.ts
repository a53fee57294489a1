import { sql } from 'drizzle-orm'
import type { Db } from '../db/database.ts'
import type { EventType } from '../db/schema.ts'

/**
 * Parts of the statements that write an event, so that the event and its notification are stored together. A
 * notification is stored if any endpoint of the user has subscribed to it, even an inactive one, which may recover it
 * later. It is queued for delivery to the active ones.
 */

/** A time in JSON, ISO 8601. @param moment an SQL expression */
export const isoSql = (moment: string) =>
  `to_char(${moment} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/**
 * Two CTEs, `noted` and `addressed`, the first with the `id` of each notification.
 * @param news the name of a CTE with `user_id`, `type`, `data` (json) and `at`
 */
export const notifySql = (news: string) => `
noted as (
  insert into notifications (user_id, type, data, created_at)
  select n.user_id, n.type, n.data, n.at from ${news} n
  where exists (select from notification_endpoints e where e.user_id = n.user_id and n.type = any(e.events))
  order by n.at
  returning id, user_id, type
), addressed as (
  insert into notification_deliveries (notification_id, endpoint_id)
  select n.id, e.id
  from noted n
  join notification_endpoints e on e.user_id = n.user_id and e.status = 'ACTIVE' and n.type = any(e.events)
  order by n.id, e.id
)`

/** Stores a notification in a transaction, with its deliveries. */
export async function storeNotification(
  tx: Db,
  userId: number,
  type: EventType,
  data: Record<string, unknown>,
): Promise<void> {
  await tx.execute(sql`
    with news as (
      select ${userId}::bigint as user_id, ${type}::text as type, ${JSON.stringify(data)}::json as data, now() as at
    ), ${sql.raw(notifySql('news'))}
    select count(*) from noted`)
}

/** Stores a notification for every user with an endpoint that wants it, in a transaction, with its deliveries. */
export async function storeForAll(tx: Db, type: EventType, data: Record<string, unknown>): Promise<void> {
  await tx.execute(sql`
    with news as (
      select u.user_id, ${type}::text as type, ${JSON.stringify(data)}::json as data, now() as at
      from (select distinct user_id from notification_endpoints where ${type}::text = any(events)) u
    ), ${sql.raw(notifySql('news'))}
    select count(*) from noted`)
}
