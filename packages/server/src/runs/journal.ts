import type { Database, PreparedStatement, TextRow } from '../db/database.ts'
import { GroupCommit } from '../db/group-commit.ts'
import { untilWritten } from '../db/until-written.ts'
import type { Audience } from './journal-events.ts'
import {
  type BatchOutcome,
  batchValues,
  hasEvents,
  type JournalEntry,
  readAnswer,
  type SentSignal,
  signalValues,
  writeSql,
  writeWithoutSignalsSql,
} from './journal-statement.ts'
import { signalParameters, writeSignalSql } from './signal-statement.ts'

/**
 * `lost`: this node no longer holds the strategy, or a run has ended before, and nothing was written of this
 * strategy's entries. `refused`: a signal that its account had no action left for in this second, and of which
 * nothing was written. `signal`: where it was one.
 */
export type Written =
  | { status: 'written'; signal: SentSignal | null }
  | { status: 'refused' }
  | { status: 'lost' }

const batchLimit = 500

/**
 * Where runs become durable: their starts, signals and ends, in the order in which they happened. What is
 * written together is committed together, and for a strategy that this node no longer holds nothing is. What
 * happened after something that could not be written builds on it, and is not written either.
 */
export class Journal {
  /** For batches that somebody is to be told of, and for those that nobody is. */
  #withEvents: Statements
  #withoutEvents: Statements
  #writeSignal: PreparedStatement
  #nodeId: string
  #group: GroupCommit<JournalEntry, Written>
  #onRetry: (error: unknown) => void
  #onBots: (botIds: number[]) => void
  #audience: Audience

  /**
   * @param onRetry told whenever the database could not be written to; the journal tries again
   * @param onBots told which bots have signals to follow, once these are durable
   * @param audience who is told of what is written; by default nobody, but by mail
   */
  constructor(
    database: Database,
    nodeId: string,
    onRetry: (error: unknown) => void,
    onBots: (botIds: number[]) => void,
    audience: Audience = { hears: () => false, onTold: () => undefined },
  ) {
    this.#withEvents = prepare(database, true)
    this.#withoutEvents = prepare(database, false)
    this.#writeSignal = database.prepare('write_signal', writeSignalSql)
    this.#nodeId = nodeId
    this.#onRetry = onRetry
    this.#onBots = onBots
    this.#audience = audience
    this.#group = new GroupCommit({
      commit: (batch) => this.#commit(batch),
      batchLimit,
      isolateFailures: true,
    })
  }

  /** @throws when the database refuses this entry itself; while it is out of reach the journal waits */
  write(entry: JournalEntry): Promise<Written> {
    return this.#group.submit(entry)
  }

  drain(): Promise<void> {
    return this.#group.drain()
  }

  async #commit(batch: JournalEntry[]): Promise<Written[]> {
    const live = batch.filter(({ claim }) => !claim.isLost)
    const { held, signals, refused, bots } = await this.#writeEntries(live)
    if (bots.length > 0) this.#onBots(bots)
    return batch.map((entry) => {
      if (entry.claim.isLost || !held.has(entry.claim.strategyId)) {
        entry.claim.lose()
        return { status: 'lost' }
      }
      if (entry.kind === 'signal' && refused.has(entry.runId)) return { status: 'refused' }
      return { status: 'written', signal: signals.get(entry.runId) ?? null }
    })
  }

  async #writeEntries(batch: JournalEntry[]): Promise<BatchOutcome> {
    if (batch.length === 0) return { held: new Set(), signals: new Map(), refused: new Set(), bots: [] }
    const notifies = hasEvents(batch, this.#audience)
    const [row] = await untilWritten(this.#statementFor(batch, notifies), this.#onRetry)
    if (notifies) this.#audience.onTold()
    return readAnswer(row![0]!)
  }

  /** What is called again and again until it is written. */
  #statementFor(batch: JournalEntry[], notifies: boolean): () => Promise<TextRow[]> {
    const [first] = batch
    if (first?.kind === 'signal' && batch.length === 1 && !notifies) {
      const values = signalParameters(first, this.#nodeId)
      return () => this.#writeSignal([...values, Date.now()])
    }
    const { write, writeWithoutSignals } = notifies ? this.#withEvents : this.#withoutEvents
    const values = batchValues(batch, this.#nodeId)
    const signals = signalValues(batch)
    if (signals === undefined) return () => writeWithoutSignals(values)
    return () => write([...values, signals, Date.now()])
  }
}

type Statements = { write: PreparedStatement; writeWithoutSignals: PreparedStatement }

function prepare(database: Database, notifies: boolean): Statements {
  const suffix = notifies ? '_telling' : ''
  return {
    write: database.prepare(`write_runs${suffix}`, writeSql(notifies)),
    writeWithoutSignals: database.prepare(`write_ends${suffix}`, writeWithoutSignalsSql(notifies)),
  }
}
