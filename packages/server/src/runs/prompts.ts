import type { Database } from '../db/database.ts'

/** The same version that the API names for a run. The owner may have saved another one since the node read the settings. */
const promptSql = `
select text from strategy_versions
where strategy_id = $1::bigint and version <= $2::bigint and (until is null or until > $2::bigint)
order by version desc limit 1`

/**
 * Reads the prompt of an AI strategy at one of its versions; `undefined` if the strategy was deleted. It may have a
 * megabyte. So a node that holds thousands of strategies reads each prompt only for its run.
 */
export function promptsOf(
  database: Database,
): (strategyId: number, version: number) => Promise<string | undefined> {
  const find = database.prepare('find_prompt', promptSql)
  return async (strategyId, version) => (await find([strategyId, version]))[0]?.[0] ?? undefined
}
