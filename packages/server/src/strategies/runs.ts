import type { CurrentPrice, LastTrigger, RunClock } from '@tickwright/sandbox'
import { and, eq, getTableColumns, isNotNull, isNull, type SQL, sql } from 'drizzle-orm'
import { notFound } from '../base/errors.ts'
import { given } from '../base/given.ts'
import type { Found, Window } from '../base/window.ts'
import type { Database } from '../db/database.ts'
import { contains, type EventSearch, findEvents, forEach } from '../db/event-search.ts'
import { ofOne, type Slots } from '../db/reads.ts'
import {
  approvals,
  type RunStatus,
  type RunTrigger,
  runs,
  runTranscripts,
  type StoredSeen,
  signals,
  strategies,
} from '../db/schema.ts'
import { cursorsOf, inOrder, newestFirst, ofOneBetween } from '../db/windows.ts'

export type Run = Omit<typeof runs.$inferSelect, 'steps' | 'seen' | 'clock'> & {
  signalId: number | null
  approvalId: number | null
}

/** What the code of a run saw, as far as its record keeps it. `storage` is JSON text. */
export type SeenByRun = {
  price: CurrentPrice | null
  state: { storage: string; lastTrigger: LastTrigger } | null
}

const noTrigger: LastTrigger = { action: null, price: null, at: null }

/** Only the trace of a run has its steps, and only one run alone its clock and what its code saw. */
const { steps: _, seen: __, clock: ___, ...runColumns } = getTableColumns(runs)
const shown = { run: runColumns, signalId: signals.id, approvalId: approvals.id }

/** A run may also have asked for changes. */
const approvalOfRun = and(eq(approvals.runId, runs.id), eq(approvals.kind, 'action'))

const table = { name: 'runs', owner: 'strategy_id', time: 'queued_at' }

/** The filters of a search for runs. */
export type RunFilter = {
  status?: RunStatus
  strategyId?: number
  /** The data webhook whose delivery the run is for. */
  webhookId?: number
  trigger?: RunTrigger
  since?: Date
  until?: Date
  /** A text of the log, the error or the payload. */
  text?: string
}

/** The records of runs. A run of another user's strategy counts as missing. */
export class Runs {
  #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** `transcript` is JSON text; `null` unless the run asked a model. `picture`: the chart in it. */
  async get(
    userId: number,
    id: number,
  ): Promise<
    Run & {
      transcript: string | null
      picture: Buffer | null
      seen: SeenByRun | null
      clock: RunClock | null
    }
  > {
    const { db, read } = this.#database
    const [row] = await read('run', { userId, id }, ({ userId, id }) =>
      db
        .select({
          ...shown,
          transcript: runTranscripts.text,
          picture: runTranscripts.picture,
          seen: runs.seen,
          clock: runs.clock,
        })
        .from(runs)
        .leftJoin(signals, eq(signals.runId, runs.id))
        .leftJoin(approvals, approvalOfRun)
        .leftJoin(runTranscripts, eq(runTranscripts.runId, runs.id))
        .innerJoin(strategies, eq(strategies.id, runs.strategyId))
        .where(and(eq(runs.id, id), eq(strategies.userId, userId))),
    )
    if (row === undefined) throw notFound('run', id)
    const { run, seen, clock, ...others } = row
    return {
      ...run,
      ...others,
      clock: clock && readClock(clock),
      seen: seen && (await this.#whole(run.strategyId, seen)),
    }
  }

  /** Reads the storage from the earlier run that has it. Retention may have deleted that one. */
  async #whole(strategyId: number, { price, lastTrigger, ...kept }: StoredSeen): Promise<SeenByRun> {
    const storage =
      kept.storageOf === undefined ? kept.storage : await this.#storageOf(strategyId, kept.storageOf)
    const state = storage == null ? null : { storage, lastTrigger: lastTrigger ?? noTrigger }
    return { price: price ?? null, state }
  }

  async #storageOf(strategyId: number, id: number): Promise<string | undefined> {
    const [row] = await this.#database.db
      .select({ seen: runs.seen })
      .from(runs)
      .where(and(eq(runs.id, id), eq(runs.strategyId, strategyId)))
    return row?.seen?.storage
  }

  /** Newest first. The caller has checked that the strategy is the user's. */
  async list(strategyId: number, window: Window): Promise<Run[]> {
    const { db, read } = this.#database
    const { limit, offset } = window
    const rows = await read(
      'runs',
      { strategyId, limit, offset },
      ({ strategyId, limit, offset }, cursors) =>
        db
          .select(shown)
          .from(runs)
          .leftJoin(signals, eq(signals.runId, runs.id))
          .leftJoin(approvals, approvalOfRun)
          .where(ofOneBetween(runs.strategyId, runs.id, strategyId, cursors))
          .orderBy(...inOrder(cursors, runs.strategyId, runs.id))
          .limit(limit)
          .offset(offset),
      cursorsOf(window),
    )
    return newestFirst(rows, window).map(({ run, ...others }) => ({ ...run, ...others }))
  }

  /** The runs of all strategies of a user, the newest first. */
  async find(userId: number, filter: RunFilter, window: Window): Promise<Found<Run>> {
    const { since, until } = filter
    const search = {
      ...{ table, owners: await this.#strategies(userId, filter), ...conditionsOf(filter) },
      ...{ span: given({ since, until }), cursors: cursorsOf(window) },
    }
    const { ids, ...found } = await findEvents(this.#database.db, search, window)
    const items = await this.byId([userId], ids)
    return { ...found, items: items.sort((a, b) => b.id - a.id) }
  }

  /** Those of these runs that are one of the users', without transcripts, and whose they are. */
  async byId(userIds: readonly number[], ids: readonly number[]): Promise<(Run & { userId: number })[]> {
    const { db, read } = this.#database
    const rows = await read('runs_by_id', { userIds, ids }, ({ userIds, ids }) =>
      db
        .select({ ...shown, userId: strategies.userId })
        .from(runs)
        .leftJoin(signals, eq(signals.runId, runs.id))
        .leftJoin(approvals, approvalOfRun)
        .innerJoin(strategies, eq(strategies.id, runs.strategyId))
        .where(and(sql`${runs.id} = any(${ids})`, sql`${strategies.userId} = any(${userIds})`)),
    )
    return rows.map(({ run, ...others }) => ({ ...run, ...others }))
  }

  /** The strategies that can have such runs: a webhook triggers only reactions, and a schedule triggers the others. */
  async #strategies(userId: number, { strategyId, webhookId, trigger }: RunFilter): Promise<number[]> {
    const isOfReactions = trigger === undefined ? undefined : trigger === 'webhook' || trigger === 'replay'
    const rows = await this.#database.db
      .select({ id: strategies.id })
      .from(strategies)
      .where(
        and(
          eq(strategies.userId, userId),
          strategyId === undefined ? undefined : eq(strategies.id, strategyId),
          isOfReactions === true || webhookId !== undefined ? isNull(strategies.cronInterval) : undefined,
          isOfReactions === false ? isNotNull(strategies.cronInterval) : undefined,
        ),
      )
    return rows.map(({ id }) => id)
  }

  /** At most one more than `mostCounted`. */
  count(strategyId: number): Promise<number> {
    const ofStrategy = ({ strategyId: slot }: Slots<{ strategyId: number }>) => ofOne(runs.strategyId, slot)
    return this.#database.countUpToMost(runs, { strategyId }, ofStrategy)
  }
}

/** Reads what `finishedRow` writes. */
function readClock([seed, ...moments]: number[]): RunClock {
  return { seed: seed!, moments }
}

/** An index has the runs that are open, and those that have neither succeeded nor wait. Most runs have succeeded. */
const indexedStatus: Partial<Record<RunStatus, string>> = {
  QUEUED: `e.status in ('QUEUED', 'RUNNING')`,
  RUNNING: `e.status in ('QUEUED', 'RUNNING')`,
  FAILED: `e.status = 'FAILED'`,
  VIOLATION: `e.status = 'VIOLATION'`,
  SKIPPED: `e.status = 'SKIPPED'`,
}
const isExactlyIndexed = new Set<RunStatus>(['FAILED', 'VIOLATION', 'SKIPPED'])

/** The conditions on a run `e`. */
function conditionsOf({ status, webhookId, trigger, text }: RunFilter): Partial<EventSearch> {
  const indexed = status === undefined ? undefined : indexedStatus[status]
  const condition = and(
    status === undefined || isExactlyIndexed.has(status) ? undefined : sql`e.status = ${status}`,
    trigger === undefined ? undefined : sql`e.trigger = ${trigger}`,
    webhookId === undefined
      ? undefined
      : sql`exists (select from deliveries w where w.id = e.delivery_id and w.webhook_id = ${webhookId} ${forEach})`,
  )
  return given({
    indexed: indexed === undefined ? undefined : sql.raw(indexed),
    condition,
    isJoined: webhookId !== undefined,
    text: text === undefined ? undefined : textOf(text),
  })
}

function textOf(text: string): { joins: SQL; bytes: SQL; condition: SQL } {
  const places = ['e.log', `e.error ->> 'name'`, `e.error ->> 'message'`, 'p.body']
  return {
    joins: sql`left join deliveries p on p.id = e.delivery_id`,
    bytes: sql`coalesce(octet_length(e.log), 0) + coalesce(octet_length(p.body), 0)`,
    condition: sql`(${sql.join(
      places.map((place) => contains(place, text)),
      sql` or `,
    )})`,
  }
}
