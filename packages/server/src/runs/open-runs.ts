import type { Database, PreparedStatement } from '../db/database.ts'
import type { EarlierSignal, QueuedRun } from './queued-run.ts'

/** At most this many runs are read at once: a payload may have 256 KB. */
export const openRunsLimit = 100

const openRunsSql = `
select r.id, r.trigger, d.body, d.headers, d.ip, json_build_object(
    'id', g.id, 'action', g.action, 'symbols', g.symbols, 'price', g.price, 'delivered', g.delivered,
    'at', extract(epoch from g.created_at) * 1000, 'options', g.options, 'previousTrigger', g.previous_trigger),
  s.version,
  -- Only an AI strategy can have one. It may have asked for an action and for changes.
  case when s.type in ('llm-reaction', 'llm-session') then (select min(a.id) from approvals a where a.run_id = r.id) end
from runs r
join strategies s on s.id = r.strategy_id
left join deliveries d on d.id = r.delivery_id
left join signals g on g.run_id = r.id
where r.strategy_id = $1::bigint and r.status in ('QUEUED', 'RUNNING')
order by r.id
limit ${openRunsLimit}`

/** Reads the open runs of a strategy, in order. */
export class OpenRuns {
  #read: PreparedStatement

  constructor(database: Database) {
    this.#read = database.prepare('open_runs', openRunsSql)
  }

  async read(strategyId: number): Promise<QueuedRun[]> {
    const rows = await this.#read([strategyId])
    return rows.map(([id, trigger, body, headers, ip, signal, version, approval]) => {
      const earlier = JSON.parse(signal!) as EarlierSignal
      return {
        id: Number(id),
        strategyId,
        previousId: 0,
        version: Number(version),
        trigger: trigger as QueuedRun['trigger'],
        request: typeof body === 'string' ? { data: body, headers: JSON.parse(headers!), ip: ip! } : null,
        earlierSignal: earlier.id === null ? null : { ...earlier, at: Math.round(earlier.at) },
        ...(approval == null ? {} : { askedEarlier: true }),
      }
    })
  }
}
