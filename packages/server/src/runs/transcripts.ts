import type { Database, PreparedStatement } from '../db/database.ts'
import { untilWritten } from '../db/until-written.ts'
import { storable } from './journal-statement.ts'

/** While the run is still this node's to end. Whoever deletes the run waits for this, or this finds it gone. */
const keepSql = `
insert into run_transcripts (run_id, strategy_id, text)
select r.id, r.strategy_id, $3
from runs r join strategy_state t on t.strategy_id = r.strategy_id
where r.id = $1::bigint and r.status in ('QUEUED', 'RUNNING') and t.holder = $2::uuid
for key share of r
on conflict (run_id) do update set text = excluded.text`

const respondSql = `
update llm_reactions l set response = $3
from strategy_state t
where l.strategy_id = $1::bigint and t.strategy_id = l.strategy_id and t.holder = $2::uuid`

/**
 * Where the transcripts of runs become durable: before the ends of these runs, so that no run has ended without one. A
 * run that is executed again replaces what was kept of it.
 */
export class Transcripts {
  #keep: PreparedStatement
  #respond: PreparedStatement
  #nodeId: string
  #onRetry: (error: unknown) => void

  /** @param onRetry told whenever the database could not be written to; it is tried again */
  constructor(database: Database, nodeId: string, onRetry: (error: unknown) => void) {
    this.#keep = database.prepare('keep_transcript', keepSql)
    this.#respond = database.prepare('keep_response', respondSql)
    this.#nodeId = nodeId
    this.#onRetry = onRetry
  }

  /** @param response the model's last words; `null` where it said none, and those before stay */
  async write(run: { id: number; strategyId: number }, text: string, response: string | null): Promise<void> {
    // Two statements: a transaction of both could wait for one that deletes the strategy, and that one for it.
    if (response !== null) {
      await this.#untilDone(() => this.#respond([run.strategyId, this.#nodeId, storable(response)]))
    }
    await this.#untilDone(() => this.#keep([run.id, this.#nodeId, text]))
  }

  /** What the database refuses is no reason for a run to have no end. */
  #untilDone(write: () => Promise<unknown>): Promise<unknown> {
    return untilWritten(write, this.#onRetry).catch(this.#onRetry)
  }
}
