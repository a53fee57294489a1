import type { Database, PreparedStatement } from '../db/database.ts'
import type { TranscriptBasis } from '../db/schema.ts'
import { untilWritten } from '../db/until-written.ts'
import { isoSql } from '../notifications/store.ts'
import { storable } from './journal-statement.ts'

/** Only while this node may end the run. The lock on the run makes a deletion wait, or else this finds no run. */
const keepSql = `
insert into run_transcripts (run_id, strategy_id, text, picture, basis)
select r.id, r.strategy_id, $3, decode($4, 'base64'), $5::jsonb
from runs r join strategy_state t on t.strategy_id = r.strategy_id
where r.id = $1::bigint and r.status in ('QUEUED', 'RUNNING') and t.holder = $2::uuid
for key share of r
on conflict (run_id) do update
  set text = excluded.text, picture = excluded.picture, basis = excluded.basis`

const respondSql = `
update llm_settings l set response = $3
from strategy_state t
where l.strategy_id = $1::bigint and t.strategy_id = l.strategy_id and t.holder = $2::uuid`

/** Once for each run, also if it is executed again. The owner may have switched mails off meanwhile. */
const mailSql = `
insert into mails (user_id, recipient, kind, facts, once_key)
select u.id, u.email, 'answer', jsonb_build_object(
  'strategy_id', s.id, 'strategy_name', s.name, 'run_id', r.id, 'at', ${isoSql('now()')}, 'answer', $3::text),
  'answer:' || r.id
from runs r
  join strategy_state t on t.strategy_id = r.strategy_id
  join strategies s on s.id = r.strategy_id
  join llm_settings l on l.strategy_id = s.id and l.send_email
  join users u on u.id = s.user_id
where r.id = $1::bigint and r.status in ('QUEUED', 'RUNNING') and t.holder = $2::uuid
on conflict (once_key) do nothing`

/**
 * Stores the transcripts of runs, before the ends of these runs are written. So no run ends without its transcript. A
 * run that is executed again replaces its transcript.
 */
export class Transcripts {
  #keep: PreparedStatement
  #respond: PreparedStatement
  #mail: PreparedStatement
  #nodeId: string
  #onMail: () => void
  #onRetry: (error: unknown) => void

  /** @param on `mail` is called after each mail, and `retry` for each failed write to the database, before the next attempt */
  constructor(database: Database, nodeId: string, on: { mail: () => void; retry: (error: unknown) => void }) {
    this.#keep = database.prepare('keep_transcript', keepSql)
    this.#respond = database.prepare('keep_response', respondSql)
    this.#mail = database.prepare('mail_answer', mailSql)
    this.#nodeId = nodeId
    this.#onMail = on.mail
    this.#onRetry = on.retry
  }

  /**
   * @param text the transcript as JSON
   * @param picture the chart that the model saw
   * @param response the model's last text; with `null`, the stored response stays as it is
   * @param basis what the decision depended on; `null`: another model than that of the strategy has decided
   */
  async write(
    run: { id: number; strategyId: number },
    {
      text,
      picture,
      response,
      basis,
    }: { text: string; picture: Buffer | null; response: string | null; basis: TranscriptBasis | null },
  ): Promise<void> {
    // Two statements: one transaction with both could deadlock with a transaction that deletes the strategy.
    if (response !== null) {
      await this.#untilDone(() => this.#respond([run.strategyId, this.#nodeId, storable(response)]))
    }
    const facts = basis && JSON.stringify(basis)
    await this.#untilDone(() =>
      this.#keep([run.id, this.#nodeId, text, picture?.toString('base64') ?? null, facts]),
    )
  }

  /** Mails the owner what the model answered, before the end of the run is written. */
  async mail(run: { id: number }, answer: string): Promise<void> {
    await this.#untilDone(() => this.#mail([run.id, this.#nodeId, storable(answer)]))
    this.#onMail()
  }

  /** If the database refuses a transcript, the run still ends. */
  #untilDone(write: () => Promise<unknown>): Promise<unknown> {
    return untilWritten(write, this.#onRetry).catch(this.#onRetry)
  }
}
