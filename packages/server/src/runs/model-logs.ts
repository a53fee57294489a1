import type { FailedRun, ModelLogs, SentSignal } from '../ai/log-tools.ts'
import type { Database, PreparedStatement } from '../db/database.ts'
import type { Signal, Signals } from '../signals/signals.ts'

/** A signal may have gone to a thousand bots. */
const mostBots = 5

const failedOf = (status: string) => `(
  select id, status, error, violation, finished_at from runs
  where strategy_id = $1::bigint and status = '${status}'
  order by id desc limit $2::integer)`

/** Each part reads the end of an index, however many runs the strategy has. */
const failedSql = `
select json_build_object('run_id', r.id, 'status', r.status, 'error', r.error, 'violation', r.violation,
  'at', extract(epoch from r.finished_at) * 1000)
from (${failedOf('FAILED')} union all ${failedOf('VIOLATION')}) r
order by r.id desc limit $2::integer`

type FailedRow = Omit<FailedRun, 'at' | 'error'> & {
  error: { name: string; message: string } | null
  at: number
}

/** The past of strategies, as their own models see it. */
export class StrategyLogs {
  #signals: Pick<Signals, 'list'>
  #failed: PreparedStatement

  constructor(database: Database, signals: Pick<Signals, 'list'>) {
    this.#signals = signals
    this.#failed = database.prepare('failed_runs', failedSql)
  }

  of(userId: number, strategyId: number): ModelLogs {
    return {
      signals: async (limit) => {
        const found = await this.#signals.list(userId, { strategyId }, { limit, offset: 0 })
        return found.map(presentSignal)
      },
      errors: async (limit) => {
        const rows = await this.#failed([strategyId, limit])
        return rows.map(([json]) => presentRun(JSON.parse(json!) as FailedRow))
      },
    }
  }
}

function presentSignal({ createdAt, action, symbols, options, reason, bots, total }: Signal): SentSignal {
  return {
    at: createdAt.toISOString(),
    action,
    symbols,
    size: options.size ?? null,
    reason,
    bots: bots.slice(0, mostBots).map(({ botId, symbol, status, reason }) => {
      return { bot_id: botId, symbol, status, reason }
    }),
    more_bots: Math.max(0, total - mostBots),
  }
}

function presentRun({ at, error, ...run }: FailedRow): FailedRun {
  return { at: new Date(at).toISOString(), ...run, error: error && `${error.name}: ${error.message}` }
}
