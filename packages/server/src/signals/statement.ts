import { countedSql } from './action-rate.ts'
import { eventColumns } from './events.ts'
import { isFollowedSql, reasonSql, routedSql } from './routing.ts'

/**
 * The parts that the statements that store signals share: those of the journal (`runs/journal-statement.ts` for a
 * batch, `runs/signal-statement.ts` for one signal), of approvals and of bot webhooks.
 *
 * A statement of a strategy's signal locks rows in this order, so that no two statements wait for each other:
 *
 *  1. the action rates of accounts (`granted`), in order of account,
 *  2. the states of strategies (`state`),
 *  3. the new rows of signals and of their bots (`sent`, `routed`).
 *
 * Each part reads from the part before it. That is what makes PostgreSQL execute them in this order: it starts a CTE
 * when another one needs its rows, not where the text has it.
 */

/**
 * CTEs `counted` and `granted`: counts actions by account, and picks those that the account may still take.
 * @param asked the name of a CTE with `user_id`, `run_id`, `asked_at` and their order `n`; `granted` has all its columns
 */
export const grantedSql = (asked: string) => `counted as (${countedSql(asked)}
), granted as materialized (
  select a.* from ${asked} a
  -- "is true" makes this a lookup for each row. A join of two CTEs may cost the square of the batch.
  where (a.run_id in (select unnest(granted_runs) from counted)) is true
)`

type SignalColumn =
  | 'id'
  | 'user_id'
  | 'sender_id'
  | 'strategy_id'
  | 'run_id'
  | 'webhook_id'
  | 'action'
  | 'symbols'
  | 'price'
  | 'options'
  | 'flags'
  | 'previous_trigger'
  | 'created_at'

export type SignalSource = {
  /** An SQL expression for each column. A column that is left out gets its default. */
  values: Partial<Record<SignalColumn, string>> & { webhook_id: string; symbols: string }
  from: string
  where?: string
  orderBy?: string
  /** An SQL expression: whether a bot follows the webhook. The default looks for one. */
  isFollowed?: string
  /** Whether the statement also writes notifications: then `sent` returns the columns that `events.ts` needs. */
  notifies: boolean
}

/** CTEs `sent` and `routed`: stores signals, and queues each for the bots that take it. A run has at most one signal. */
export function sentSql({ values, from, where, orderBy, isFollowed, notifies }: SignalSource): string {
  const { webhook_id: webhookId, symbols, flags = 'null::text[]' } = values
  const columns = { ...values, delivered: 'd.reason is null', reason: 'd.reason' }
  const reason = reasonSql({ webhookId, symbols, flags, isFollowed: isFollowed ?? isFollowedSql(webhookId) })
  return `sent as (
  insert into signals (${Object.keys(columns).join(', ')})${values.id === undefined ? '' : ' overriding system value'}
  select ${Object.values(columns).join(', ')}
  from ${from}
  -- "offset 0" keeps PostgreSQL from working this out once for each column.
  cross join lateral (select ${reason} as reason offset 0) d
  ${where === undefined ? '' : `where ${where}`}
  ${orderBy === undefined ? '' : `order by ${orderBy}`}
  ${values.run_id === undefined ? '' : 'on conflict (run_id) do nothing'}
  returning id, run_id, webhook_id, symbols, delivered, reason, created_at${notifies ? `, ${eventColumns}` : ''}
), routed as (${routedSql('sent')}
)`
}

/** Fields of a JSON answer, from `sent` and `routed`: the signal of each run, and the bots that have something to do. */
export const sentAnswerSql = `
  'signals', (select json_agg(json_build_array(run_id, id, delivered, webhook_id, reason)) from sent),
  'bots', (select json_agg(distinct bot_id) from routed)`

/**
 * CTE `known`: the signals of these runs that an earlier statement has stored, whose answer was lost with its
 * connection. @param runs what follows `in`: the ids of runs
 */
export const knownSql = (runs: string) => `known as materialized (
  select run_id, id, delivered from signals where run_id in ${runs}
)`

/** A field of a JSON answer: the signals of {@link knownSql}. */
export const knownAnswerSql = `
  'known', (select json_agg(json_build_array(run_id, id, delivered)) from known)`
