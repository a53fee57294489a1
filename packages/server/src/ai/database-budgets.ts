import type { Database, PreparedStatement } from '../db/database.ts'
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

/** The spending of AI strategies, counted for all nodes together. */
export class DatabaseBudgets implements BudgetStore {
  #reserve: PreparedStatement
  #settle: PreparedStatement

  constructor(database: Database) {
    this.#reserve = database.prepare('reserve_ai_budget', reserveSql)
    this.#settle = database.prepare('settle_ai_budget', settleSql)
  }

  async reserve(key: string, wanted: Spend, limits: Spend): Promise<boolean> {
    const { tokens, actions } = wanted
    const rows = await this.#reserve([...readKey(key), tokens, actions, limits.tokens, limits.actions])
    return rows.length > 0
  }

  async settle(key: string, reserved: Spend, used: Spend): Promise<void> {
    const [tokens, actions] = [used.tokens - reserved.tokens, used.actions - reserved.actions]
    if (tokens !== 0 || actions !== 0) await this.#settle([...readKey(key), tokens, actions])
  }
}

/** `key` is what `RunBudget` makes of a strategy and a day. */
function readKey(key: string): [strategyId: number, day: string] {
  const [strategyId, day] = key.split(' ')
  return [Number(strategyId), day!]
}
