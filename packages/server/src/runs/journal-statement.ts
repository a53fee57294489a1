import type { ActionName, LastTrigger, RunClock, RunError, Violation } from '@tickwright/sandbox'
import type {
  HttpCall,
  RunStatus,
  RunTrigger,
  SignalOptions,
  StoredSeen,
  StoredSteps,
  Suspension,
} from '../db/schema.ts'
import { grantedSql, knownAnswerSql, knownSql, sentAnswerSql, sentSql } from '../signals/statement.ts'
import type { Claim } from './held-strategy.ts'
import { type Audience, endedColumns, eventsSql } from './journal-events.ts'
import type { StoredWith } from './queued-run.ts'

type Entry = {
  runId: number
  /** The claim under which the run was executed. */
  claim: Claim
}

/** A run that takes long enough to be shown as `RUNNING`. */
export type StartEntry = Entry & { kind: 'start'; version: number; startedAtMs: number }

export type SignalEntry = Entry & {
  kind: 'signal'
  userId: number
  action: ActionName
  symbols: string[]
  price: number | null
  options: SignalOptions
  previousTrigger: LastTrigger
  atMs: number
}

export type FinishEntry = Entry & {
  kind: 'finish'
  userId: number
  status: RunStatus
  /** The version of the strategy that the run executed; `null` if it never started. */
  version: number | null
  startedAtMs: number | null
  finishedAtMs: number
  durationMs: number | null
  error: RunError | null
  violation: Violation | null
  log: string | null
  http: HttpCall[]
  steps: StoredSteps | null
  seen: StoredSeen | null
  clock: RunClock | null
  /** JSON text; `undefined` if the run did not set it. */
  storage: string | undefined
  suspension: { untilMs: number; violationCount: number; why: Suspension } | null
  /** What the record of the run says besides, if this node knows all of it. */
  known?: StoredWith & { trigger: RunTrigger; signalId: number | null }
}

export type JournalEntry = StartEntry | SignalEntry | FinishEntry

/** The length of an address in a run's record, in characters. */
const urlLimit = 2000

const storageChange = 'storage = case when i.sets_storage then i.storage else t.storage end'

/** The changes that the ends of runs make to the states of their strategies. */
const stateChanges = `
    last_run_at = coalesce(to_timestamp(i.last_run_at / 1000.0), t.last_run_at),
    suspended_until = coalesce(to_timestamp(i.suspended_until / 1000.0), t.suspended_until),
    suspension = coalesce(i.suspension, t.suspension),
    violation_count = coalesce(i.violation_count, t.violation_count),
    last_violation_at = coalesce(to_timestamp(i.last_violation_at / 1000.0), t.last_violation_at)
  from json_to_recordset($1::json) as i(
    strategy_id bigint, run_ids bigint[], sets_storage boolean, storage text, last_run_at double precision,
    suspended_until double precision, suspension jsonb, violation_count integer,
    last_violation_at double precision
  )`

/** Only for strategies that this node still holds, and whose runs in the batch had not ended before. */
const stateIsOurs = `
  where t.strategy_id = i.strategy_id and t.holder = $2::uuid and not exists (
    select 1 from runs r where r.id = any(i.run_ids) and r.status not in ('QUEUED', 'RUNNING')
  )
  returning t.strategy_id
`

const signalColumns = {
  user_id: 'g.user_id',
  strategy_id: 'g.strategy_id',
  run_id: 'g.run_id',
  webhook_id: 'w.webhook_id',
  action: 'g.action',
  symbols: 'g.symbols',
  price: 'g.price',
  options: 'g.options',
  previous_trigger: 'g.previous_trigger',
  created_at: 'to_timestamp(g.at / 1000.0)',
}

const grantedSignals = `granted g
  cross join lateral (select s.webhook_id from strategies s where s.id = g.strategy_id) w`
/** "is true" makes this, too, a lookup for each row. */
const isHeld = '(g.strategy_id in (select strategy_id from state)) is true'

/**
 * A run has ended when it has `finished_at`. A condition on its status would let PostgreSQL read the index of open runs,
 * in full: it seems to be empty if no run was open when PostgreSQL last counted.
 *
 * @param notifies whether the statement also writes notifications
 */
const ended = (notifies: boolean) => `
  update runs r set
    status = f.status, started_at = to_timestamp(f.started_at / 1000.0),
    finished_at = to_timestamp(f.finished_at / 1000.0), duration_ms = f.duration_ms, error = f.error,
    violation = f.violation, log = f.log, http = f.http, version = f.version, steps = f.steps, seen = f.seen,
    clock = f.clock
  from json_to_recordset($3::json) as f(
    id bigint, strategy_id bigint, status text, started_at double precision, finished_at double precision,
    duration_ms double precision, error jsonb, violation jsonb, log text, http jsonb, version integer,
    steps jsonb, seen jsonb, clock bigint[]${notifies ? ', suspended_until double precision' : ''}
  )
  where r.id = f.id and r.finished_at is null and f.strategy_id in (select strategy_id from state)
${notifies ? `  returning ${endedColumns}` : ''}`

/**
 * Writes the states, signals and runs of a batch: one statement, and so one transaction. A run counts once: if one of
 * the runs had already ended, the batch changes nothing of its strategy.
 *
 * The time of an action is the database's time, minus the time since its request. So a slow database does not move
 * actions closer together.
 *
 * @param notifies whether the statement also writes notifications; without them, it starts faster
 */
export const writeSql = (notifies: boolean) => `
with requested as materialized (
  select * from rows from (
    json_to_recordset($4::json) as (
      user_id bigint, strategy_id bigint, run_id bigint, action text, symbols jsonb, price double precision,
      options jsonb, previous_trigger jsonb, at double precision
    )
  ) with ordinality as g(user_id, strategy_id, run_id, action, symbols, price, options, previous_trigger, at, n)
), ${knownSql('(select run_id from requested)')}, asked as materialized (
  select *, now() - make_interval(secs => greatest($5::double precision - at, 0) / 1000.0) as asked_at
  from requested
  where run_id not in (select run_id from known)
    and (select t.holder from strategy_state t where t.strategy_id = requested.strategy_id) = $2::uuid
    and coalesce((select r.status in ('QUEUED', 'RUNNING') from runs r where r.id = requested.run_id), true)
), ${grantedSql('asked')}, latest as materialized (
  -- One value in which each row looks up its own. A join of two CTEs may cost the square of the batch.
  select jsonb_object_agg(strategy_id, json_build_object('action', action, 'price', price, 'at', at) order by n)
    as actions
  from granted
), state as (
  update strategy_state t set
    ${storageChange},
    last_action = coalesce(l.actions -> i.strategy_id::text ->> 'action', t.last_action),
    last_price = case when l.actions ? i.strategy_id::text
      then (l.actions -> i.strategy_id::text ->> 'price')::double precision else t.last_price end,
    last_action_at = coalesce(
      to_timestamp((l.actions -> i.strategy_id::text ->> 'at')::double precision / 1000.0), t.last_action_at),
${stateChanges}, latest l
${stateIsOurs}), ${sentSql({ values: signalColumns, from: grantedSignals, where: isHeld, orderBy: 'g.n', notifies })}, ended as (${ended(notifies)})${notifies ? `, ${eventsSql(true)}` : ''}
select json_build_object(
  'held', (select json_agg(strategy_id) from state),${sentAnswerSql},
  'refused', (select json_agg(run_id) from asked where (run_id in (select run_id from granted)) is not true),${knownAnswerSql}
)`

/** The same for a batch without signals, as most are. A statement with fewer parts starts faster. */
export const writeWithoutSignalsSql = (notifies: boolean) => `
with state as (
  update strategy_state t set
    ${storageChange},${stateChanges}${stateIsOurs}
), ended as (${ended(notifies)})${notifies ? `, ${eventsSql(false)}` : ''}
select json_build_object('held', (select json_agg(strategy_id) from state))`

type KnownRow = [runId: number, id: number, delivered: boolean]
type SentRow = [...KnownRow, webhookId: number | null, reason: string | null]

type BatchAnswer = {
  held: number[] | null
  signals?: SentRow[] | null
  bots?: number[] | null
  refused?: number[] | null
  known?: KnownRow[] | null
}

/** A stored signal, and whether a bot took it. */
export type SentSignal = { id: number; delivered: boolean }

/** `as`: what its row says besides the entry; absent if an earlier statement has stored it. */
export type StoredSignal = SentSignal & { as?: { webhookId: number | null; reason: string | null } }

/**
 * `held`: the strategies whose entries were written. `signals`: by run. `refused`: the runs whose action was refused.
 * `bots`: the bots that have signals to follow.
 */
export type BatchOutcome = {
  held: Set<number>
  signals: Map<number, StoredSignal>
  refused: Set<number>
  bots: number[]
}

/** Whether a batch has an event to notify someone of. Every suspension is one, because it is mailed to the owner. */
export function hasEvents(batch: JournalEntry[], audience: Pick<Audience, 'hears'>): boolean {
  return batch.some((entry) => {
    if (entry.kind === 'start') return false
    if (entry.kind === 'finish' && entry.suspension !== null) return true
    return (entry.kind === 'signal' || entry.status === 'FAILED') && audience.hears(entry.userId)
  })
}

/** The parameters of {@link writeWithoutSignalsSql}, and the first ones of {@link writeSql}. */
export function batchValues(batch: JournalEntry[], nodeId: string): string[] {
  return [JSON.stringify(foldStates(batch)), nodeId, JSON.stringify(foldRuns(batch))]
}

/**
 * The signals of a batch, or `undefined` if it has none. {@link writeSql} takes them after {@link batchValues}, and then
 * the time (Unix ms) at which it is sent.
 */
export function signalValues(batch: JournalEntry[]): string | undefined {
  const signals = batch.filter((entry) => entry.kind === 'signal')
  return signals.length === 0 ? undefined : JSON.stringify(signals.map(signalRow))
}

export function readAnswer(text: string): BatchOutcome {
  const { held, signals, refused, known, bots } = JSON.parse(text) as BatchAnswer
  const sent = new Map<number, StoredSignal>()
  for (const [runId, id, delivered] of known ?? []) sent.set(runId, { id, delivered })
  for (const [runId, id, delivered, webhookId, reason] of signals ?? []) {
    sent.set(runId, { id, delivered, as: { webhookId, reason } })
  }
  return {
    held: new Set(held),
    signals: sent,
    refused: new Set(refused),
    bots: bots ?? [],
  }
}

type StateRow = { strategy_id: number; run_ids: number[] } & Record<string, unknown>

/** One row for each strategy, because an UPDATE would pick any of several rows. Later entries replace earlier ones. */
function foldStates(batch: JournalEntry[]): StateRow[] {
  const states = new Map<number, StateRow>()
  for (const entry of batch) {
    const { strategyId } = entry.claim
    let state = states.get(strategyId)
    if (state === undefined) {
      state = { strategy_id: strategyId, run_ids: [] }
      states.set(strategyId, state)
    }
    if (entry.kind !== 'start') state.run_ids.push(entry.runId)
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
        strategy_id: entry.claim.strategyId,
        status: 'RUNNING',
        version: entry.version,
        started_at: entry.startedAtMs,
      })
    } else if (entry.kind === 'finish') {
      rows.set(entry.runId, finishedRow(entry))
    }
  }
  return [...rows.values()]
}

/** The end of a run as the statements take it, and as its record shows it. */
export function finishedRow(entry: FinishEntry) {
  return {
    id: entry.runId,
    strategy_id: entry.claim.strategyId,
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
    http: entry.http.length === 0 ? null : entry.http.map(httpRow),
    version: entry.version,
    ...(entry.steps === null ? {} : { steps: entry.steps }),
    ...(entry.seen === null ? {} : { seen: entry.seen }),
    ...(entry.clock === null ? {} : { clock: [entry.clock.seed, ...entry.clock.moments] }),
    ...(entry.suspension === null ? {} : { suspended_until: entry.suspension.untilMs }),
  }
}

function httpRow(call: HttpCall): HttpCall {
  return { ...call, method: storable(call.method), url: storable(call.url.slice(0, urlLimit)) }
}

/** A signal as the statements take it. */
export function signalRow(entry: SignalEntry) {
  const { options } = entry
  return {
    user_id: entry.userId,
    strategy_id: entry.claim.strategyId,
    run_id: entry.runId,
    action: entry.action,
    symbols: entry.symbols,
    price: entry.price,
    options: options.id === undefined ? options : { ...options, id: storable(options.id) },
    previous_trigger: entry.previousTrigger,
    at: entry.atMs,
  }
}

/** Replaces what PostgreSQL text cannot hold but the output of user code can: NUL, and half a surrogate pair. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd')
}
