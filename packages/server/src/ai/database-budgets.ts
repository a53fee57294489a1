import { serviceWaitMs } from '@tickwright/sandbox'
import { commitOnce } from '../db/commit-once.ts'
import type { Database, Db, PreparedStatement } from '../db/database.ts'
import type { BudgetStore, Spend } from './budget.ts'

/** One row per strategy and day. The row lock makes each reservation see all earlier ones. */
const reserveSql = `
insert into ai_spending as s (strategy_id, day, tokens, actions)
select $1::bigint, $2::date, $3::bigint, $4::integer where $3::bigint <= $5::bigint and $4::integer <= $6::integer
on conflict (strategy_id, day) do update
  set tokens = s.tokens + excluded.tokens, actions = s.actions + excluded.actions
  where s.tokens + excluded.tokens <= $5::bigint and s.actions + excluded.actions <= $6::integer
returning 1`

const settleSql = `
update ai_spending set tokens = greatest(0, tokens + $3::bigint), actions = greatest(0, actions + $4::integer)
where strategy_id = $1::bigint and day = $2::date`

/**
 * The spending of AI strategies, counted for all nodes together. Each reservation and each settlement counts once, also if
 * the database goes away before it has answered.
 */
export class DatabaseBudgets implements BudgetStore {
  #db: Db
  #reserve: PreparedStatement
  #settle: PreparedStatement

  constructor(database: Database) {
    this.#db = database.db
    this.#reserve = database.prepare('reserve_ai_budget', reserveSql)
    this.#settle = database.prepare('settle_ai_budget', settleSql)
  }

  async reserve(key: string, wanted: Spend, limits: Spend, signal?: AbortSignal): Promise<boolean> {
    const { tokens, actions } = wanted
    const values = [...readKey(key), tokens, actions, limits.tokens, limits.actions]
    return this.#once(async (tx) => (await this.#reserve(values, tx)).length > 0, signal)
  }

  async settle(key: string, reserved: Spend, used: Spend, signal?: AbortSignal): Promise<void> {
    const [tokens, actions] = [used.tokens - reserved.tokens, used.actions - reserved.actions]
    if (tokens === 0 && actions === 0) return
    await this.#once((tx) => this.#settle([...readKey(key), tokens, actions], tx), signal)
  }

  #once<T>(work: (tx: Db) => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    return commitOnce(
      this.#db,
      work,
      signal === undefined ? { mostMs: 0 } : { mostMs: serviceWaitMs, signal },
    )
  }
}

/** `key` is what `RunBudget` makes of a strategy and a day. */
function readKey(key: string): [strategyId: number, day: string] {
  const [strategyId, day] = key.split(' ')
  return [Number(strategyId), day!]
}
