import { isCurrentSql } from './intake.ts'

const isActive = `s.status = 'ACTIVE' and (t.suspended_until is null or t.suspended_until <= now())`

/**
 * CTE `target`: the reactions that new deliveries trigger.
 * @param fresh the name of a CTE with `id` and `received_at` of each delivery
 * @param webhookId an SQL expression for a row `f` of it
 */
const targetSql = (fresh: string, webhookId: string) => `target as materialized (
  select f.id as delivery_id, f.received_at, s.id as strategy_id, s.version
  from ${fresh} f
  join strategies s on s.data_webhook_id = ${webhookId}
  join strategy_state t on t.strategy_id = s.id
  where ${isActive}
)`

/** CTE `queued`: a run for each row of `target`. The ids of runs increase with the ids of their deliveries. */
const queuedSql = `queued as (
  insert into runs (strategy_id, trigger, delivery_id, queued_at)
  select strategy_id, 'webhook', delivery_id, received_at from target order by delivery_id, strategy_id
  returning id, strategy_id, delivery_id
)`

/**
 * The result of storing, as one JSON value, because its four lists differ in shape and length.
 * @param stored the name of the CTE with `n` and `id` of each delivery
 */
const answerSql = (stored: string) => `select json_build_object(
  'current', (select json_agg(n) from current),
  'stored', (select json_agg(json_build_array(n, id)) from ${stored}),
  'runs', (select json_agg(json_build_array(delivery_id, id, strategy_id) order by id) from queued),
  -- A statement does not see its own rows: these are the last runs before this batch.
  'strategies', (
    select json_agg(json_build_array(
      strategy_id, version, (select max(r.id) from runs r where r.strategy_id = t.strategy_id)))
    from (select distinct strategy_id, version from target) t
  )
)`

/**
 * Stores a batch of payloads and queues a run of each for every reaction that is active at this moment: one
 * statement, and so one transaction. Identifiers rise in the order of the batch.
 */
export const storeSql = `
with input as materialized (
  select nextval('deliveries_id_seq') as id, to_timestamp(t.at / 1000.0) as received_at, t.*
  from rows from (
    json_to_recordset($1::json)
      as (webhook_id bigint, version integer, share_id bigint, sender_id bigint, body text, headers jsonb, ip text,
        key text, at double precision)
  ) with ordinality as t(webhook_id, version, share_id, sender_id, body, headers, ip, key, at, n)
), current as (
  select i.* from input i join data_webhooks w on ${isCurrentSql('data_webhook_shares')}
), claimed as (
  insert into idempotency_keys as k (webhook_id, sender_id, key, delivery_id, created_at)
  -- In one order on all nodes, so that two of them cannot wait for each other.
  select webhook_id, coalesce(sender_id, 0), key, id, received_at
  from current where key is not null order by webhook_id, coalesce(sender_id, 0), key
  on conflict (webhook_id, sender_id, key) do update set delivery_id = excluded.delivery_id, created_at = excluded.created_at
    where k.created_at <= excluded.created_at - interval '24 hours'
  returning delivery_id
), fresh as (
  select c.* from current c where c.key is null or c.id in (select delivery_id from claimed)
), ${targetSql('fresh', 'f.webhook_id')}, stored as (
  insert into deliveries (id, webhook_id, sender_id, body, headers, ip, idempotency_key, reactions, received_at)
  overriding system value
  -- Counted again instead of taken from target: a join of two CTEs costs the square of the batch.
  select id, webhook_id, sender_id, body, headers, ip, key, (
    select count(*) from strategies s join strategy_state t on t.strategy_id = s.id
    where s.data_webhook_id = f.webhook_id and ${isActive}
  ), received_at
  from fresh f
), ${queuedSql}
${answerSql('fresh')}`

/**
 * The fast variant of {@link storeSql}, for one payload that arrives alone, by the owner's URL and without a key. Most
 * payloads do when there is little load. A statement with fewer parts starts faster, and the sender waits for it. It
 * writes the same rows and returns the same answer.
 *
 * Parameters: webhook, its version, body, headers, ip, time of arrival in Unix ms.
 */
export const storeAloneSql = `
with current as materialized (
  select 1 as n, nextval('deliveries_id_seq') as id, to_timestamp($6::double precision / 1000.0) as received_at
  from data_webhooks w where w.id = $1::bigint and w.version = $2::integer
), ${targetSql('current', '$1::bigint')}, stored as (
  insert into deliveries (id, webhook_id, body, headers, ip, reactions, received_at)
  overriding system value
  select id, $1::bigint, $3::text, $4::jsonb, $5::text, (select count(*) from target), received_at from current
), ${queuedSql}
${answerSql('current')}`
