import type { LastTrigger } from '@tickwright/sandbox'
import type { Database } from '../db/database.ts'
import type { ModelTool } from '../db/schema.ts'

/** The parts of an AI strategy that may have changed while the service waited for its model. */
export type Standing = {
  isActive: boolean
  needsApproval: boolean
  changeNeedsApproval: boolean
  tools: ModelTool[]
  mayChange: number[]
  /** The owner may have approved a waiting action. */
  lastTrigger: LastTrigger
}

const standingSql = `
select json_build_object('isActive', s.status = 'ACTIVE', 'needsApproval', coalesce(l.needs_approval, false),
  'changeNeedsApproval', coalesce(l.change_needs_approval, true), 'tools', coalesce(l.tools, '[]'),
  'mayChange', coalesce(l.may_change, '[]'),
  'lastTrigger', json_build_object('action', t.last_action, 'price', t.last_price,
    'at', extract(epoch from t.last_action_at) * 1000))
from strategies s join strategy_state t on t.strategy_id = s.id left join llm_settings l on l.strategy_id = s.id
where s.id = $1::bigint`

/** Reads the current standing of an AI strategy; `undefined` if it was deleted. */
export function standingOf(database: Database): (strategyId: number) => Promise<Standing | undefined> {
  const find = database.prepare('find_standing', standingSql)
  return async (strategyId) => {
    const [row] = await find([strategyId])
    return row === undefined ? undefined : (JSON.parse(row[0]!) as Standing)
  }
}
