import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '../db/database.ts'

/**
 * Holds a run that has not ended until the end of the transaction, for a node that still holds its strategy. Locks as the
 * statements of requests do: the strategy before its state.
 * @returns the owner of the strategy; `undefined` if the run has ended or is not this node's any more
 */
export async function holdRun(
  tx: Db,
  run: { id: number; strategyId: number },
  nodeId: string,
): Promise<{ userId: number } | undefined> {
  const { rows } = (await tx.execute(holdSql(run, nodeId))) as unknown as { rows: { user_id: string }[] }
  return rows[0] && { userId: Number(rows[0].user_id) }
}

function holdSql({ id, strategyId }: { id: number; strategyId: number }, nodeId: string): SQL {
  return sql`
with asker as materialized (
  select id, user_id from strategies where id = ${strategyId}::bigint for key share
)
select r.user_id from asker r join strategy_state t on t.strategy_id = r.id
where t.holder = ${nodeId}::uuid
  and not exists (select from runs where id = ${id}::bigint and status not in ('QUEUED', 'RUNNING'))
for no key update of t`
}
