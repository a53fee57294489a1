import { isDeepStrictEqual } from 'node:util'
import { and, asc, eq } from 'drizzle-orm'
import type { Database, PreparedStatement } from '../db/database.ts'
import { bots, signals } from '../db/schema.ts'
import type { Announce } from '../live/changes.ts'
import { notifySql } from '../notifications/store.ts'
import { outsideSignalEventsSql } from '../signals/events.ts'
import { followersSql, isTradedSql } from '../signals/routing.ts'
import { sentSql } from '../signals/statement.ts'
import { type Incoming, Intake, isCurrentSql, type Stored, senderColumns, type Taken } from './intake.ts'
import type { OutsideSignal } from './outside-payload.ts'

/** A signal that was posted to a bot webhook. `body` has no key. */
export type IncomingSignal = Incoming & {
  signal: OutsideSignal
  /** Who is told what became of it, at an encrypted address. */
  callback: StoredCallback | null
  body: string
  headers: Record<string, string>
  ip: string
}

export type StoredCallback = { userId: number; origin: string; url: Buffer }

/** How many bots took the signal. */
type BotCount = { bots: number }
export type TakenSignal = Taken<BotCount>

const signalColumns = {
  id: 'f.id',
  user_id: 'f.user_id',
  webhook_id: 'f.webhook_id',
  sender_id: 'f.sender_id',
  action: 'f.action',
  symbols: 'f.symbols',
  options: 'f.options',
  flags: 'f.flags',
  created_at: 'f.received_at',
}

/**
 * Stores a batch of signals with what was posted, and their way to every bot that is active at this moment: one
 * statement, and so one transaction. Identifiers rise in the order of the batch.
 * @param notifies whether anybody at all is told of signals; else the statement has no part of that
 * @param callsBack the same for callbacks
 */
const storeSql = ({ notifies, callsBack }: { notifies: boolean; callsBack: boolean }) => `
with input as materialized (
  select nextval('signals_id_seq') as id, to_timestamp(t.at / 1000.0) as received_at, t.*
  from rows from (
    json_to_recordset($1::json) as (
      webhook_id bigint, version integer, share_id bigint, sender_id bigint, key text, action text, symbols jsonb,
      options jsonb, flags text[], body text, headers jsonb, ip text, at double precision${callsBack ? callbackTypes : ''}
    )
  ) with ordinality
    as t(webhook_id, version, share_id, sender_id, key, action, symbols, options, flags, body, headers, ip, at${callsBack ? callbackNames : ''}, n)
), current as materialized (
  select i.*, w.user_id, case when ${isTradedSql({ symbols: 'i.symbols', flags: 'i.flags' })}
    then (select count(*) from ${followersSql('i.webhook_id')}) else 0 end as bots
  from input i join bot_webhooks w on ${isCurrentSql('bot_webhook_shares')}
), claimed as (
  insert into bot_webhook_keys as k (webhook_id, sender_id, key, signal_id, bots, created_at)
  -- In one order on all nodes, so that two of them cannot wait for each other.
  select webhook_id, coalesce(sender_id, 0), key, id, bots, received_at
  from current where key is not null order by webhook_id, coalesce(sender_id, 0), key
  on conflict (webhook_id, sender_id, key) do update set
    signal_id = excluded.signal_id, bots = excluded.bots, created_at = excluded.created_at
    where k.created_at <= excluded.created_at - interval '24 hours'
  returning signal_id
), fresh as (
  select c.* from current c where c.key is null or c.id in (select signal_id from claimed)
), posted as (
  insert into bot_webhook_deliveries (id, webhook_id, sender_id, body, headers, ip, idempotency_key, bots, received_at)
  select id, webhook_id, sender_id, body, headers, ip, key, bots, received_at from fresh
), ${sentSql({ values: signalColumns, from: 'fresh f', orderBy: 'f.n', isFollowed: 'f.bots > 0', notifies })}${notifies ? `, ${eventsSql}` : ''}${callsBack ? `, ${callbacksSql}` : ''}
select json_build_object(
  'current', (select json_agg(n) from current),
  'stored', (select json_agg(json_build_array(n, id, bots)) from fresh),
  'woken', (select json_agg(distinct bot_id) from routed)
)`

const callbackTypes = ', callback_user_id bigint, callback_origin text, callback_url text'
const callbackNames = ', callback_user_id, callback_origin, callback_url'
const callbacksSql = `called_back as (
  insert into signal_callbacks (id, user_id, origin, url, created_at)
  select id, callback_user_id, callback_origin, decode(callback_url, 'base64'), received_at
  from fresh where callback_url is not null
)`

const eventsSql = `news as (${outsideSignalEventsSql('sent')}
), ${notifySql('news')}`

const firstAnswerSql = `
select signal_id, extract(epoch from created_at) * 1000, bots
from bot_webhook_keys where webhook_id = $1::bigint and sender_id = $2::bigint and key = $3`

/** About how many bytes a signal takes while it waits, without its body: its other texts are short. */
const signalBytes = 2048
/** How many bots an answer names at most. */
const namedLimit = 100

type OutsideAudience = {
  hearsAny(): boolean
  /** Called when notifications may have been written. */
  onTold(): void
}

export type OutsideSignalsParts = {
  database: Database
  /** Receives the bots that have new signals, right after each commit. */
  onBotSignals(botIds: number[]): void
  /** Users whose endpoints are notified of signals. Default: none. */
  audience?: OutsideAudience
  /** Tells live streams of signals. Default: nobody. */
  announce?: Announce
  /** Receives the signals that have a callback. */
  onCallbacks?(signalIds: number[]): void
}

/** Stores the signals that senders post to bot webhooks, and queues each once for its bots. */
export class OutsideSignals {
  #parts: OutsideSignalsParts
  #stores: Record<'plain' | 'telling' | 'calling', PreparedStatement>
  #firstAnswer: PreparedStatement
  #intake: Intake<IncomingSignal, BotCount>

  constructor(parts: OutsideSignalsParts) {
    const { database } = parts
    const store = (name: string, kind: Parameters<typeof storeSql>[0]) =>
      database.prepare(`store_outside_signals${name}`, storeSql(kind))
    this.#parts = parts
    this.#stores = {
      plain: store('', { notifies: false, callsBack: false }),
      telling: store('_telling', { notifies: true, callsBack: false }),
      // Few signals have a callback, so they do without a statement of their own for users without endpoints.
      calling: store('_calling', { notifies: true, callsBack: true }),
    }
    this.#firstAnswer = database.prepare('first_signal_answer', firstAnswerSql)
    this.#intake = new Intake({
      store: (signals) => this.#commit(signals),
      firstAnswer: (signal) => this.#readFirstAnswer(signal),
      sizeBytes: ({ body }) => signalBytes + body.length,
    })
  }

  /** @throws {AppError} 503 if too much is waiting */
  take(signal: IncomingSignal): Promise<TakenSignal> {
    return this.#intake.take(signal)
  }

  drain(): Promise<void> {
    return this.#intake.drain()
  }

  /** The user's bots that get the signals of this webhook now, in order of id, at most a hundred. */
  async followers(webhookId: number, userId: number): Promise<number[]> {
    const found = await this.#parts.database.db
      .select({ id: bots.id })
      .from(bots)
      .where(and(eq(bots.webhookId, webhookId), eq(bots.userId, userId), eq(bots.status, 'ACTIVE')))
      .orderBy(asc(bots.id))
      .limit(namedLimit)
    return found.map(({ id }) => id)
  }

  /** Whether the signal with this id is the given one: a repeat must not pass for another signal. */
  async isSame(id: number, { action, symbols, options, flags }: OutsideSignal): Promise<boolean> {
    const { db } = this.#parts.database
    const [stored] = await db
      .select({
        action: signals.action,
        symbols: signals.symbols,
        options: signals.options,
        flags: signals.flags,
      })
      .from(signals)
      .where(eq(signals.id, id))
    return isDeepStrictEqual(stored, { action, symbols, options, flags })
  }

  async #commit(signals: IncomingSignal[]): Promise<Stored<BotCount>[]> {
    const { audience, onBotSignals, announce, onCallbacks } = this.#parts
    const notifies = audience?.hearsAny() === true
    const callsBack = signals.some(({ callback }) => callback !== null)
    const store = this.#stores[callsBack ? 'calling' : notifies ? 'telling' : 'plain']
    const [row] = await store([JSON.stringify(signals.map(inputRow))])
    if (notifies) queueMicrotask(() => audience.onTold())
    const answer = JSON.parse(row![0]!) as {
      current: number[] | null
      stored: [n: number, id: number, bots: number][] | null
      woken: number[] | null
    }
    const { woken } = answer
    // Not here: if it threw, the batch would count as failed although it is stored.
    if (woken !== null) queueMicrotask(() => onBotSignals(woken))
    for (const [, id, taken] of answer.stored ?? []) {
      announce?.({ kind: 'signal', id })
      if (taken > 0) announce?.({ kind: 'bot_signal', id, part: 'signal' })
    }
    const called = (answer.stored ?? []).filter(([n]) => signals[n - 1]!.callback !== null)
    if (called.length > 0) queueMicrotask(() => onCallbacks?.(called.map(([, id]) => id)))
    const current = new Set(answer.current)
    const stored = new Map(answer.stored?.map(([n, id, taken]) => [n, { id, bots: taken }]))
    return signals.map(({ receivedAtMs }, index) => {
      const n = index + 1
      const kept = stored.get(n)
      if (!current.has(n)) return { status: 'stale' }
      return kept === undefined ? { status: 'repeat' } : { status: 'accepted', receivedAtMs, ...kept }
    })
  }

  async #readFirstAnswer({ webhookId, sender, idempotencyKey }: IncomingSignal) {
    const [row] = await this.#firstAnswer([webhookId, sender?.userId ?? 0, idempotencyKey])
    if (row === undefined) return undefined
    return { id: Number(row[0]), receivedAtMs: Math.round(Number(row[1])), bots: Number(row[2]) }
  }
}

function inputRow({
  signal,
  callback,
  body,
  headers,
  ip,
  ...incoming
}: IncomingSignal): Record<string, unknown> {
  return {
    ...senderColumns(incoming),
    key: incoming.idempotencyKey,
    action: signal.action,
    symbols: signal.symbols,
    options: signal.options,
    flags: signal.flags,
    body,
    headers,
    ip,
    at: incoming.receivedAtMs,
    ...(callback !== null && {
      callback_user_id: callback.userId,
      callback_origin: callback.origin,
      callback_url: callback.url.toString('base64'),
    }),
  }
}
