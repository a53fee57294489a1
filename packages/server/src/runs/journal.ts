import { setTimeout as sleep } from 'node:timers/promises'
import type { LastTrigger, RunError, Violation } from '@tickwright/sandbox'
import type { Database, PreparedStatement } from '../db/database.ts'
import { GroupCommit } from '../db/group-commit.ts'
import type { RunStatus, SignalOptions, Suspension } from '../db/schema.ts'
import { isDataRefused } from '../failures.ts'

type Entry = {
  runId: number
  strategyId: number
  /** The claim under which it happened. Each claim of a strategy is an object of its own. */
  claim: object
}

/** A run that is taking long enough to be worth showing as under way. */
export type StartEntry = Entry & { kind: 'start'; startedAtMs: number }

export type SignalEntry = Entry & {
  kind: 'signal'
  userId: number
  action: 'LONG' | 'SHORT' | 'EXIT'
  symbols: string[]
  price: number | null
  options: SignalOptions
  previousTrigger: LastTrigger
  atMs: number
}

export type FinishEntry = Entry & {
  kind: 'finish'
  status: RunStatus
  startedAtMs: number | null
  finishedAtMs: number
  durationMs: number | null
  error: RunError | null
  violation: Violation | null
  log: string | null
  /** JSON text; `undefined` when the run did not set it. */
  storage: string | undefined
  suspension: { untilMs: number; violationCount: number; why: Suspension } | null
}

export type JournalEntry = StartEntry | SignalEntry | FinishEntry

/**
 * `lost`: this node no longer holds the strategy, or a run has ended before, and nothing was written of this
 * strategy's entries. `id`: of the signal, where it was one.
 */
export type Written = { status: 'written'; id: number | null } | { status: 'lost' }

const batchLimit = 500
const retryMs = 250

/**
 * One statement, and so one transaction: states, signals and runs of a batch, for strategies still held. A run
 * counts once: where one of them has ended before, its strategy's part of the batch changes nothing.
 */
const writeSql = `
with state as (
  update strategy_state t set
    storage = case when i.sets_storage then i.storage else t.storage end,
    last_action = coalesce(i.last_action, t.last_action),
    last_price = case when i.last_action is null then t.last_price else i.last_price end,
    last_action_at = coalesce(to_timestamp(i.last_action_at / 1000.0), t.last_action_at),
    last_run_at = coalesce(to_timestamp(i.last_run_at / 1000.0), t.last_run_at),
    suspended_until = coalesce(to_timestamp(i.suspended_until / 1000.0), t.suspended_until),
    suspension = coalesce(i.suspension, t.suspension),
    violation_count = coalesce(i.violation_count, t.violation_count),
    last_violation_at = coalesce(to_timestamp(i.last_violation_at / 1000.0), t.last_violation_at)
  from json_to_recordset($1::json) as i(
    strategy_id bigint, run_ids bigint[], sets_storage boolean, storage text, last_action text, last_price double precision,
    last_action_at double precision, last_run_at double precision, suspended_until double precision,
    suspension jsonb, violation_count integer, last_violation_at double precision
  )
  where t.strategy_id = i.strategy_id and t.holder = $4::uuid and not exists (
    select 1 from runs r where r.id = any(i.run_ids) and r.status not in ('QUEUED', 'RUNNING')
  )
  returning t.strategy_id
), sent as (
  insert into signals
    (user_id, strategy_id, run_id, action, symbols, price, options, previous_trigger, created_at)
  select g.user_id, g.strategy_id, g.run_id, g.action, g.symbols, g.price, g.options, g.previous_trigger,
    to_timestamp(g.at / 1000.0)
  from json_to_recordset($2::json) as g(
    user_id bigint, strategy_id bigint, run_id bigint, action text, symbols jsonb, price double precision,
    options jsonb, previous_trigger jsonb, at double precision
  )
  where g.strategy_id in (select strategy_id from state)
  on conflict (run_id) do nothing
  returning id, run_id
), ended as (
  update runs r set
    status = f.status, started_at = to_timestamp(f.started_at / 1000.0),
    finished_at = to_timestamp(f.finished_at / 1000.0), duration_ms = f.duration_ms, error = f.error,
    violation = f.violation, log = f.log
  from json_to_recordset($3::json) as f(
    id bigint, strategy_id bigint, status text, started_at double precision, finished_at double precision,
    duration_ms double precision, error jsonb, violation jsonb, log text
  )
  where r.id = f.id and r.status in ('QUEUED', 'RUNNING') and f.strategy_id in (select strategy_id from state)
)
select json_build_object(
  'held', (select json_agg(strategy_id) from state),
  'signals', (select json_agg(json_build_array(run_id, id)) from sent),
  -- Written before, by a statement whose answer was lost with its connection.
  'known', (
    select json_agg(json_build_array(s.run_id, s.id))
    from signals s where s.run_id in (select run_id from json_to_recordset($2::json) as g(run_id bigint))
  )
)`

type WriteAnswer = {
  held: number[] | null
  signals: [runId: number, id: number][] | null
  known: [runId: number, id: number][] | null
}

/**
 * Where runs become durable: their starts, signals and ends, in the order in which they happened. What is
 * written together is committed together, and for a strategy that this node no longer holds nothing is. What
 * happened after something that could not be written builds on it, and is not written either.
 */
export class Journal {
  #write: PreparedStatement
  #nodeId: string
  #group: GroupCommit<JournalEntry, Written>
  #onRetry: (error: unknown) => void
  #lostClaims = new WeakSet<object>()

  /** @param onRetry told whenever the database could not be written to; the journal tries again */
  constructor(database: Database, nodeId: string, onRetry: (error: unknown) => void) {
    this.#write = database.prepare('write_runs', writeSql)
    this.#nodeId = nodeId
    this.#onRetry = onRetry
    this.#group = new GroupCommit({
      commit: (batch) => this.#commit(batch),
      batchLimit,
      isolateFailures: true,
    })
  }

  /** @throws when the database refuses this entry itself; while it is out of reach the journal waits */
  write(entry: JournalEntry): Promise<Written> {
    return this.#group.submit(entry)
  }

  drain(): Promise<void> {
    return this.#group.drain()
  }

  async #commit(batch: JournalEntry[]): Promise<Written[]> {
    const live = batch.filter(({ claim }) => !this.#lostClaims.has(claim))
    const { held, signals } = await this.#writeEntries(live)
    return batch.map((entry) => {
      if (held.has(entry.strategyId) && !this.#lostClaims.has(entry.claim)) {
        return { status: 'written', id: signals.get(entry.runId) ?? null }
      }
      this.#lostClaims.add(entry.claim)
      return { status: 'lost' }
    })
  }

  async #writeEntries(batch: JournalEntry[]): Promise<{ held: Set<number>; signals: Map<number, number> }> {
    if (batch.length === 0) return { held: new Set(), signals: new Map() }
    const values = [
      JSON.stringify(foldStates(batch)),
      JSON.stringify(batch.filter((entry) => entry.kind === 'signal').map(signalRow)),
      JSON.stringify(foldRuns(batch)),
      this.#nodeId,
    ]
    const [row] = await this.#writeUntilDone(values)
    const answer = JSON.parse(row![0]!) as WriteAnswer
    return {
      held: new Set(answer.held),
      signals: new Map([...(answer.known ?? []), ...(answer.signals ?? [])]),
    }
  }

  /** What happened has happened: while the database is away, its record waits rather than being dropped. */
  async #writeUntilDone(values: string[]) {
    for (;;) {
      try {
        return await this.#write(values)
      } catch (error) {
        if (isDataRefused(error)) throw error
        this.#onRetry(error)
        await sleep(retryMs)
      }
    }
  }
}

type StateRow = { strategy_id: number; run_ids: number[] } & Record<string, unknown>

/** One row a strategy, later entries over earlier ones: an UPDATE takes any of several, not the last. */
function foldStates(batch: JournalEntry[]): StateRow[] {
  const states = new Map<number, StateRow>()
  for (const entry of batch) {
    let state = states.get(entry.strategyId)
    if (state === undefined) {
      state = { strategy_id: entry.strategyId, run_ids: [] }
      states.set(entry.strategyId, state)
    }
    if (entry.kind !== 'start') state.run_ids.push(entry.runId)
    if (entry.kind === 'signal') {
      Object.assign(state, {
        last_action: entry.action,
        last_price: entry.price,
        last_action_at: entry.atMs,
      })
    }
    if (entry.kind === 'finish') Object.assign(state, finishedState(entry))
  }
  return [...states.values()]
}

function finishedState(entry: FinishEntry): Record<string, unknown> {
  return {
    ...(entry.startedAtMs === null ? {} : { last_run_at: entry.startedAtMs }),
    ...(entry.storage === undefined ? {} : { sets_storage: true, storage: entry.storage }),
    ...(entry.suspension === null
      ? {}
      : {
          suspended_until: entry.suspension.untilMs,
          suspension: entry.suspension.why,
          violation_count: entry.suspension.violationCount,
          last_violation_at: entry.finishedAtMs,
        }),
  }
}

function foldRuns(batch: JournalEntry[]): Record<string, unknown>[] {
  const rows = new Map<number, Record<string, unknown>>()
  for (const entry of batch) {
    if (entry.kind === 'start') {
      rows.set(entry.runId, {
        id: entry.runId,
        strategy_id: entry.strategyId,
        status: 'RUNNING',
        started_at: entry.startedAtMs,
      })
    } else if (entry.kind === 'finish') {
      rows.set(entry.runId, {
        id: entry.runId,
        strategy_id: entry.strategyId,
        status: entry.status,
        started_at: entry.startedAtMs,
        finished_at: entry.finishedAtMs,
        duration_ms: entry.durationMs,
        error: entry.error && {
          ...entry.error,
          name: storable(entry.error.name),
          message: storable(entry.error.message),
        },
        violation: entry.violation,
        log: entry.log === null ? null : storable(entry.log),
      })
    }
  }
  return [...rows.values()]
}

function signalRow(entry: SignalEntry): Record<string, unknown> {
  const { options } = entry
  return {
    user_id: entry.userId,
    strategy_id: entry.strategyId,
    run_id: entry.runId,
    action: entry.action,
    symbols: entry.symbols,
    price: entry.price,
    options: options.id === undefined ? options : { ...options, id: storable(options.id) },
    previous_trigger: entry.previousTrigger,
    at: entry.atMs,
  }
}

/** PostgreSQL text has neither NUL nor half a surrogate pair; what user code says may have both. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd')
}
