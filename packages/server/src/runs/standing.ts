import type { LastTrigger } from '@tickwright/sandbox'
import type { Database } from '../db/database.ts'

/** What of a reaction may have changed while its model was being asked. */
export type Standing = {
  /** Whether it is switched on. */
  isActive: boolean
  needsApproval: boolean
  /** An action that waited may have been approved. */
  lastTrigger: LastTrigger
}

const standingSql = `
select s.status = 'ACTIVE', coalesce(l.needs_approval, false), t.last_action, t.last_price,
  extract(epoch from t.last_action_at) * 1000
from strategies s join strategy_state t on t.strategy_id = s.id left join llm_reactions l on l.strategy_id = s.id
where s.id = $1::bigint`

/** Reads where a reaction stands at this moment; `undefined` for one that is gone. */
export function standingOf(database: Database): (strategyId: number) => Promise<Standing | undefined> {
  const find = database.prepare('find_standing', standingSql)
  return async (strategyId) => {
    const [row] = await find([strategyId])
    if (row === undefined) return undefined
    const [isActive, needsApproval, action, price, at] = row
    return {
      isActive: isActive === 't',
      needsApproval: needsApproval === 't',
      lastTrigger: {
        action: (action ?? null) as LastTrigger['action'],
        price: price == null ? null : Number(price),
        at: at == null ? null : Number(at),
      },
    }
  }
}
