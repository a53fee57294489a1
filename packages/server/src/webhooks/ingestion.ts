import type { Database, PreparedStatement } from '../db/database.ts'
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

/**
 * Stores a batch of payloads and queues a run of each for every reaction that is active at this moment: one
 * statement, and so one transaction. Identifiers rise in the order of the batch.
 */
const storeSql = `
with input as materialized (
  select nextval(pg_get_serial_sequence('deliveries', 'id')) as id, to_timestamp(t.at / 1000.0) as received_at, t.*
  from rows from (
    json_to_recordset($1::json)
      as (webhook_id bigint, version integer, body text, headers jsonb, ip text, key text, at double precision)
  ) with ordinality as t(webhook_id, version, body, headers, ip, key, at, n)
), current as (
  select i.* from input i join data_webhooks w on w.id = i.webhook_id and w.version = i.version
), claimed as (
  insert into idempotency_keys as k (webhook_id, key, delivery_id, created_at)
  select webhook_id, key, id, received_at from current where key is not null
  on conflict (webhook_id, key) do update set delivery_id = excluded.delivery_id, created_at = excluded.created_at
    where k.created_at <= excluded.created_at - interval '24 hours'
  returning delivery_id
), fresh as (
  select c.* from current c where c.key is null or c.id in (select delivery_id from claimed)
), target as (
  select f.id as delivery_id, f.received_at, s.id as strategy_id
  from fresh f
  join strategies s on s.data_webhook_id = f.webhook_id and s.status = 'ACTIVE'
  join strategy_state t on t.strategy_id = s.id and (t.suspended_until is null or t.suspended_until <= now())
), queued as (
  insert into runs (strategy_id, trigger, delivery_id, queued_at)
  select strategy_id, 'webhook', delivery_id, received_at from target order by delivery_id, strategy_id
  returning id, strategy_id, delivery_id
), previous as (
  -- A statement does not see its own rows, so this is the last run of each before this batch.
  select t.strategy_id, (select max(r.id) from runs r where r.strategy_id = t.strategy_id) as id
  from (select distinct strategy_id from target) t
), caused as (
  select q.delivery_id, count(*) as reactions,
    string_agg(q.id || ':' || q.strategy_id || ':' || coalesce(p.id, 0), ',' order by q.id) as runs
  from queued q join previous p on p.strategy_id = q.strategy_id
  group by q.delivery_id
), stored as (
  insert into deliveries (id, webhook_id, body, headers, ip, idempotency_key, reactions, received_at)
  overriding system value
  select f.id, f.webhook_id, f.body, f.headers, f.ip, f.key, coalesce(c.reactions, 0), f.received_at
  from fresh f left join caused c on c.delivery_id = f.id
  returning id
)
select i.n, c.id is not null as is_current, s.id, coalesce(u.reactions, 0), u.runs
from input i
left join current c on c.id = i.id
left join stored s on s.id = i.id
left join caused u on u.delivery_id = i.id
order by i.n`

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
    const results = new Map<Payload, Ingested>()
    const runs: QueuedRun[] = []
    for (const [index, payload] of unique.entries()) {
      const [, isCurrent, id, reactions, caused] = rows[index]!
      if (isCurrent === 'f') results.set(payload, { status: 'stale' })
      else if (id === null || id === undefined) results.set(payload, await this.#readFirstAnswer(payload))
      else {
        results.set(payload, {
          status: 'accepted',
          id: Number(id),
          receivedAtMs: payload.receivedAtMs,
          reactions: Number(reactions),
        })
        runs.push(...queuedRuns(payload, caused ?? null))
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

function queuedRuns(payload: Payload, caused: string | null): QueuedRun[] {
  if (caused === null) return []
  const request = { data: payload.body, headers: payload.headers, ip: payload.ip }
  return caused.split(',').map((ids) => {
    const [id, strategyId, previousId] = ids.split(':').map(Number)
    return {
      id: id!,
      strategyId: strategyId!,
      previousId: previousId!,
      trigger: 'webhook',
      request,
      earlierSignal: null,
    }
  })
}
