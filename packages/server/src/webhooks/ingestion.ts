import type { Database, PreparedStatement, TextRow } from '../db/database.ts'
import type { QueuedRun } from '../runs/queued-run.ts'
import { type Incoming, Intake, isCurrentSql, type Stored, senderColumns, type Taken } from './intake.ts'

/** A payload for the reactions of a data webhook. */
export type Payload = Incoming & { body: string; headers: Record<string, string>; ip: string }

type Answer = { reactions: number }
export type Ingested = Taken<Answer>

const isActive = `s.status = 'ACTIVE' and (t.suspended_until is null or t.suspended_until <= now())`

/**
 * Stores a batch of payloads and queues a run of each for every reaction that is active at this moment: one
 * statement, and so one transaction. Identifiers rise in the order of the batch.
 */
const storeSql = `
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
), target as (
  select f.id as delivery_id, f.received_at, s.id as strategy_id, s.version
  from fresh f
  join strategies s on s.data_webhook_id = f.webhook_id
  join strategy_state t on t.strategy_id = s.id
  where ${isActive}
), stored as (
  insert into deliveries (id, webhook_id, sender_id, body, headers, ip, idempotency_key, reactions, received_at)
  overriding system value
  -- Counted anew and not taken from target: a join of two CTEs costs the square of the batch.
  select id, webhook_id, sender_id, body, headers, ip, key, (
    select count(*) from strategies s join strategy_state t on t.strategy_id = s.id
    where s.data_webhook_id = f.webhook_id and ${isActive}
  ), received_at
  from fresh f
), queued as (
  insert into runs (strategy_id, trigger, delivery_id, queued_at)
  select strategy_id, 'webhook', delivery_id, received_at from target order by delivery_id, strategy_id
  returning id, strategy_id, delivery_id
)
-- One value and not a row for each: PGlite's reading of rows would be a third of the cost of all this.
select json_build_object(
  'current', (select json_agg(n) from current),
  'stored', (select json_agg(json_build_array(n, id)) from fresh),
  'runs', (select json_agg(json_build_array(delivery_id, id, strategy_id) order by id) from queued),
  -- A statement does not see its own rows: these are the last runs before this batch.
  'strategies', (
    select json_agg(json_build_array(
      strategy_id, version, (select max(r.id) from runs r where r.strategy_id = t.strategy_id)))
    from (select distinct strategy_id, version from target) t
  )
)`

const firstAnswerSql = `
select d.id, extract(epoch from d.received_at) * 1000, d.reactions
from idempotency_keys k join deliveries d on d.id = k.delivery_id
where k.webhook_id = $1::bigint and k.sender_id = $2::bigint and k.key = $3`

/** Takes payloads in, and hands each on once. */
export class Ingestion {
  #store: PreparedStatement
  #firstAnswer: PreparedStatement
  #handOver: (runs: QueuedRun[]) => void
  #intake: Intake<Payload, Answer>

  /** @param handOver is told of every run that was queued, right after its commit and in its order */
  constructor(database: Database, handOver: (runs: QueuedRun[]) => void) {
    this.#store = database.prepare('store_deliveries', storeSql)
    this.#firstAnswer = database.prepare('first_answer', firstAnswerSql)
    this.#handOver = handOver
    this.#intake = new Intake({
      store: (payloads) => this.#commit(payloads),
      firstAnswer: (payload) => this.#readFirstAnswer(payload),
      sizeBytes: ({ body }) => body.length,
    })
  }

  /** @throws {AppError} 503 when too much is waiting already */
  take(payload: Payload): Promise<Ingested> {
    return this.#intake.take(payload)
  }

  drain(): Promise<void> {
    return this.#intake.drain()
  }

  async #commit(payloads: Payload[]): Promise<Stored<Answer>[]> {
    const stored = readStored(await this.#store([JSON.stringify(payloads.map(inputRow))]))
    const results: Stored<Answer>[] = []
    const runs: QueuedRun[] = []
    for (const [index, payload] of payloads.entries()) {
      const n = index + 1
      const id = stored.deliveryIds.get(n)
      if (!stored.current.has(n)) results.push({ status: 'stale' })
      else if (id === undefined) results.push({ status: 'repeat' })
      else {
        const caused = stored.runs.get(id) ?? []
        const { receivedAtMs } = payload
        results.push({ status: 'accepted', id, receivedAtMs, reactions: caused.length })
        for (const run of caused) runs.push(queuedRun(payload, run, stored.strategies))
      }
    }
    // Run ids rise with delivery ids, so that this is their order in the database too.
    if (runs.length > 0) this.#handOver(runs)
    return results
  }

  async #readFirstAnswer({ webhookId, sender, idempotencyKey }: Payload) {
    const [row] = await this.#firstAnswer([webhookId, sender?.userId ?? 0, idempotencyKey])
    // Its delivery may have been deleted in between.
    if (row === undefined) return undefined
    return { id: Number(row[0]), receivedAtMs: Math.round(Number(row[1])), reactions: Number(row[2]) }
  }
}

function inputRow(payload: Payload): Record<string, unknown> {
  return {
    ...senderColumns(payload),
    body: payload.body,
    headers: payload.headers,
    ip: payload.ip,
    key: payload.idempotencyKey,
    at: payload.receivedAtMs,
  }
}

type StoredRun = { id: number; strategyId: number }

/** What the statement answers, by the place of a payload in the batch (from 1), its delivery, or a strategy. */
type StoredBatch = {
  current: Set<number>
  deliveryIds: Map<number, number>
  runs: Map<number, StoredRun[]>
  strategies: Map<number, { version: number; previousId: number }>
}

function readStored([row]: TextRow[]): StoredBatch {
  const answer = JSON.parse(row![0]!) as {
    current: number[] | null
    stored: [n: number, id: number][] | null
    runs: [deliveryId: number, id: number, strategyId: number][] | null
    strategies: [strategyId: number, version: number, previousId: number | null][] | null
  }
  const runs = new Map<number, StoredRun[]>()
  for (const [deliveryId, id, strategyId] of answer.runs ?? []) {
    const ofDelivery = runs.get(deliveryId)
    if (ofDelivery === undefined) runs.set(deliveryId, [{ id, strategyId }])
    else ofDelivery.push({ id, strategyId })
  }
  return {
    current: new Set(answer.current),
    deliveryIds: new Map(answer.stored),
    runs,
    strategies: new Map(
      answer.strategies?.map(([id, version, previousId]) => [id, { version, previousId: previousId ?? 0 }]),
    ),
  }
}

function queuedRun(
  payload: Payload,
  { id, strategyId }: StoredRun,
  strategies: StoredBatch['strategies'],
): QueuedRun {
  return {
    id,
    strategyId,
    ...strategies.get(strategyId)!,
    trigger: 'webhook',
    request: { data: payload.body, headers: payload.headers, ip: payload.ip },
    earlierSignal: null,
  }
}
