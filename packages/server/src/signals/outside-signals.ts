import { and, asc, eq } from 'drizzle-orm'
import type { Database, PreparedStatement } from '../db/database.ts'
import { bots } from '../db/schema.ts'
import { type Incoming, Intake, type Stored, type Taken } from '../webhooks/intake.ts'
import type { OutsideSignal } from './outside-payload.ts'
import { followersSql, isTradedSql, routedSql } from './routing.ts'

/** A signal that was posted to a bot webhook. */
export type IncomingSignal = Incoming & { signal: OutsideSignal }

/** How many bots have taken it. */
type Answer = { bots: number }
export type TakenSignal = Taken<Answer>

/**
 * Stores a batch of signals with their way to every bot that is active at this moment: one statement, and so one
 * transaction. Identifiers rise in the order of the batch.
 */
const storeSql = `
with input as materialized (
  select nextval('signals_id_seq') as id, to_timestamp(t.at / 1000.0) as received_at, t.*
  from rows from (
    json_to_recordset($1::json) as (
      webhook_id bigint, version integer, key text, action text, symbols jsonb, options jsonb, flag text,
      at double precision
    )
  ) with ordinality as t(webhook_id, version, key, action, symbols, options, flag, at, n)
), current as materialized (
  select i.*, w.user_id, case when ${isTradedSql({ symbols: 'i.symbols', flag: 'i.flag' })}
    then (select count(*) from ${followersSql('i.webhook_id')}) else 0 end as bots
  from input i join bot_webhooks w on w.id = i.webhook_id and w.version = i.version
), claimed as (
  insert into bot_webhook_keys as k (webhook_id, key, signal_id, bots, created_at)
  -- In one order on all nodes, so that two of them cannot wait for each other.
  select webhook_id, key, id, bots, received_at from current where key is not null order by webhook_id, key
  on conflict (webhook_id, key) do update set
    signal_id = excluded.signal_id, bots = excluded.bots, created_at = excluded.created_at
    where k.created_at <= excluded.created_at - interval '24 hours'
  returning signal_id
), fresh as (
  select c.* from current c where c.key is null or c.id in (select signal_id from claimed)
), sent as (
  insert into signals (id, user_id, webhook_id, action, symbols, options, flag, delivered, created_at)
  overriding system value
  select id, user_id, webhook_id, action, symbols, options, flag, bots > 0, received_at from fresh order by n
  returning id, webhook_id, symbols, delivered, created_at
), routed as (${routedSql('sent')})
select json_build_object(
  'current', (select json_agg(n) from current),
  'stored', (select json_agg(json_build_array(n, id, bots)) from fresh),
  'woken', (select json_agg(distinct bot_id) from routed)
)`

const firstAnswerSql = `
select signal_id, extract(epoch from created_at) * 1000, bots
from bot_webhook_keys where webhook_id = $1::bigint and key = $2`

/** About what a signal holds while it waits: its texts are short. */
const signalBytes = 2048
/** As many bots as an answer names. */
const namedLimit = 100

/** Takes signals in that are posted to bot webhooks, and puts each before its bots once. */
export class OutsideSignals {
  #database: Database
  #store: PreparedStatement
  #firstAnswer: PreparedStatement
  #onBotSignals: (botIds: number[]) => void
  #intake: Intake<IncomingSignal, Answer>

  /** @param onBotSignals told of the bots that signals went to, right after each commit */
  constructor(database: Database, onBotSignals: (botIds: number[]) => void) {
    this.#database = database
    this.#store = database.prepare('store_outside_signals', storeSql)
    this.#firstAnswer = database.prepare('first_signal_answer', firstAnswerSql)
    this.#onBotSignals = onBotSignals
    this.#intake = new Intake({
      store: (signals) => this.#commit(signals),
      firstAnswer: (webhookId, key) => this.#readFirstAnswer(webhookId, key),
      sizeBytes: () => signalBytes,
    })
  }

  /** @throws {AppError} 503 when too much is waiting already */
  take(signal: IncomingSignal): Promise<TakenSignal> {
    return this.#intake.take(signal)
  }

  drain(): Promise<void> {
    return this.#intake.drain()
  }

  /** The bots that a signal of this webhook goes to at this moment, in order of id, a hundred at the most. */
  async followers(webhookId: number): Promise<number[]> {
    const found = await this.#database.db
      .select({ id: bots.id })
      .from(bots)
      .where(and(eq(bots.webhookId, webhookId), eq(bots.status, 'ACTIVE')))
      .orderBy(asc(bots.id))
      .limit(namedLimit)
    return found.map(({ id }) => id)
  }

  async #commit(signals: IncomingSignal[]): Promise<Stored<Answer>[]> {
    const [row] = await this.#store([JSON.stringify(signals.map(inputRow))])
    const answer = JSON.parse(row![0]!) as {
      current: number[] | null
      stored: [n: number, id: number, bots: number][] | null
      woken: number[] | null
    }
    const { woken } = answer
    // Not here: were it to throw, the batch would count as failed although it is stored.
    if (woken !== null) queueMicrotask(() => this.#onBotSignals(woken))
    const current = new Set(answer.current)
    const stored = new Map(answer.stored?.map(([n, id, taken]) => [n, { id, bots: taken }]))
    return signals.map(({ receivedAtMs }, index) => {
      const n = index + 1
      const kept = stored.get(n)
      if (!current.has(n)) return { status: 'stale' }
      return kept === undefined ? { status: 'repeat' } : { status: 'accepted', receivedAtMs, ...kept }
    })
  }

  async #readFirstAnswer(webhookId: number, key: string) {
    const [row] = await this.#firstAnswer([webhookId, key])
    if (row === undefined) return undefined
    return { id: Number(row[0]), receivedAtMs: Math.round(Number(row[1])), bots: Number(row[2]) }
  }
}

function inputRow({ signal, ...incoming }: IncomingSignal): Record<string, unknown> {
  return {
    webhook_id: incoming.webhookId,
    version: incoming.webhookVersion,
    key: incoming.idempotencyKey,
    action: signal.action,
    symbols: signal.symbols,
    options: signal.options,
    flag: signal.flag,
    at: incoming.receivedAtMs,
  }
}
