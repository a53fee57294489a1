import type { Database, PreparedStatement, TextRow } from '../db/database.ts'
import { GroupCommit } from '../db/group-commit.ts'
import { AppError } from '../errors.ts'
import type { QueuedRun } from '../runs/queued-run.ts'

/** A payload that passed every check but those that only the database can make. */
export type Payload = {
  webhookId: number
  /** The version of the webhook that the checks were made with. */
  webhookVersion: number
  body: string
  headers: Record<string, string>
  ip: string
  idempotencyKey: string | null
  receivedAtMs: number
}

/** `stale`: the webhook has changed since it was checked; check again with the stored one. */
export type Ingested =
  | { status: 'accepted'; id: number; receivedAtMs: number; reactions: number }
  | { status: 'duplicate'; id: number; receivedAtMs: number; reactions: number }
  | { status: 'stale' }

const batchLimit = 256
/** What may wait for a commit before new payloads are refused: a database this far behind is not keeping up. */
const waitingByteLimit = 128 * 1024 * 1024

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
      as (webhook_id bigint, version integer, body text, headers jsonb, ip text, key text, at double precision)
  ) with ordinality as t(webhook_id, version, body, headers, ip, key, at, n)
), current as (
  select i.* from input i join data_webhooks w on w.id = i.webhook_id and w.version = i.version
), claimed as (
  insert into idempotency_keys as k (webhook_id, key, delivery_id, created_at)
  -- In one order on all nodes, so that two of them cannot wait for each other.
  select webhook_id, key, id, received_at from current where key is not null order by webhook_id, key
  on conflict (webhook_id, key) do update set delivery_id = excluded.delivery_id, created_at = excluded.created_at
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
  insert into deliveries (id, webhook_id, body, headers, ip, idempotency_key, reactions, received_at)
  overriding system value
  -- Counted anew and not taken from target: a join of two CTEs costs the square of the batch.
  select id, webhook_id, body, headers, ip, key, (
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
where k.webhook_id = $1::bigint and k.key = $2`

/**
 * Takes payloads in: durable before they are answered, each handed on once. Payloads that arrive together
 * are committed together.
 */
export class Ingestion {
  #store: PreparedStatement
  #firstAnswer: PreparedStatement
  #handOver: (runs: QueuedRun[]) => void
  #group: GroupCommit<Payload, Ingested>
  #waitingBytes = 0

  /** @param handOver is told of every run that was queued, right after its commit and in its order */
  constructor(database: Database, handOver: (runs: QueuedRun[]) => void) {
    this.#store = database.prepare('store_deliveries', storeSql)
    this.#firstAnswer = database.prepare('first_answer', firstAnswerSql)
    this.#handOver = handOver
    this.#group = new GroupCommit({
      commit: (batch) => this.#commit(batch),
      batchLimit,
      isolateFailures: true,
    })
  }

  /** @throws {AppError} 503 when too much is waiting already */
  async take(payload: Payload): Promise<Ingested> {
    if (this.#waitingBytes > waitingByteLimit) {
      throw new AppError('service_unavailable', 'The database does not keep up; try again.', {
        retryAfterSeconds: 1,
      })
    }
    const bytes = payload.body.length
    this.#waitingBytes += bytes
    try {
      return await this.#group.submit(payload)
    } finally {
      this.#waitingBytes -= bytes
    }
  }

  drain(): Promise<void> {
    return this.#group.drain()
  }

  async #commit(batch: Payload[]): Promise<Ingested[]> {
    const first = firstOfEachKey(batch)
    const unique = batch.filter((payload, index) => first[index] === payload)
    const rows = await this.#store([
      JSON.stringify(
        unique.map((payload) => ({
          webhook_id: payload.webhookId,
          version: payload.webhookVersion,
          body: payload.body,
          headers: payload.headers,
          ip: payload.ip,
          key: payload.idempotencyKey,
          at: payload.receivedAtMs,
        })),
      ),
    ])
    const stored = readStored(rows)
    const results = new Map<Payload, Ingested>()
    const runs: QueuedRun[] = []
    for (const [index, payload] of unique.entries()) {
      const n = index + 1
      const id = stored.deliveryIds.get(n)
      if (!stored.current.has(n)) results.set(payload, { status: 'stale' })
      else if (id === undefined) results.set(payload, await this.#readFirstAnswer(payload))
      else {
        const caused = stored.runs.get(id) ?? []
        const { receivedAtMs } = payload
        results.set(payload, { status: 'accepted', id, receivedAtMs, reactions: caused.length })
        for (const run of caused) runs.push(queuedRun(payload, run, stored.strategies))
      }
    }
    // Run ids rise with delivery ids, so that this is their order in the database too.
    if (runs.length > 0) this.#handOver(runs)
    return batch.map((payload, index) => {
      const result = results.get(first[index]!)!
      const repeats = first[index] !== payload && result.status === 'accepted'
      return repeats ? { ...result, status: 'duplicate' } : result
    })
  }

  async #readFirstAnswer(payload: Payload): Promise<Ingested> {
    const [row] = await this.#firstAnswer([payload.webhookId, payload.idempotencyKey])
    // Its delivery may have been deleted in between; checking again will then find the key free or the webhook gone.
    if (row === undefined) return { status: 'stale' }
    return {
      status: 'duplicate',
      id: Number(row[0]),
      receivedAtMs: Math.round(Number(row[1])),
      reactions: Number(row[2]),
    }
  }
}

/** For each payload the first of its batch with the same idempotency key, or itself. */
function firstOfEachKey(batch: Payload[]): Payload[] {
  const seen = new Map<string, Payload>()
  return batch.map((payload) => {
    if (payload.idempotencyKey === null) return payload
    const key = `${payload.webhookId} ${payload.idempotencyKey}`
    const first = seen.get(key) ?? payload
    seen.set(key, first)
    return first
  })
}

type StoredRun = { id: number; strategyId: number }

/** What the statement answers, by the place of a payload in the batch (from 1), its delivery, or a strategy. */
type Stored = {
  current: Set<number>
  deliveryIds: Map<number, number>
  runs: Map<number, StoredRun[]>
  strategies: Map<number, { version: number; previousId: number }>
}

function readStored([row]: TextRow[]): Stored {
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
  strategies: Stored['strategies'],
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
