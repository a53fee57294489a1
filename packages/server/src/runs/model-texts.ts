import type { Database } from '../db/database.ts'

/** The long texts that a run of a model begins with. `storage`: as JSON text; `null` if nothing is stored. */
export type ModelTexts = { prompt: string; storage: string | null }

/** The same version that the API names for a run. The owner may have saved another one since the node read the settings. */
const textsSql = `
select v.text, t.storage
from strategy_versions v join strategy_state t on t.strategy_id = v.strategy_id
where v.strategy_id = $1::bigint and v.version <= $2::bigint and (v.until is null or v.until > $2::bigint)
order by v.version desc limit 1`

/**
 * Reads the prompt of an AI strategy at one of its versions, and what it has stored; `undefined` if the strategy was
 * deleted. Each may have a megabyte. So a node that holds thousands of strategies reads them only for a run, which begins
 * once the end of the run before is written.
 */
export function modelTextsOf(
  database: Database,
): (strategyId: number, version: number) => Promise<ModelTexts | undefined> {
  const find = database.prepare('find_model_texts', textsSql)
  return async (strategyId, version) => {
    const [row] = await find([strategyId, version])
    const [prompt, storage] = row ?? []
    return prompt == null ? undefined : { prompt, storage: storage ?? null }
  }
}
