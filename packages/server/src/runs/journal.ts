import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, PreparedStatement } from '../db/database.ts'
import { GroupCommit } from '../db/group-commit.ts'
import { isDataRefused } from '../failures.ts'
import {
  type BatchOutcome,
  batchValues,
  type JournalEntry,
  readAnswer,
  type SentSignal,
  signalValues,
  writeSql,
  writeWithoutSignalsSql,
} from './journal-statement.ts'

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
const retryMs = 250

/**
 * Where runs become durable: their starts, signals and ends, in the order in which they happened. What is
 * written together is committed together, and for a strategy that this node no longer holds nothing is. What
 * happened after something that could not be written builds on it, and is not written either.
 */
export class Journal {
  #write: PreparedStatement
  #writeWithoutSignals: PreparedStatement
  #nodeId: string
  #group: GroupCommit<JournalEntry, Written>
  #onRetry: (error: unknown) => void
  #onBots: (botIds: number[]) => void
  #lostClaims = new WeakSet<object>()

  /**
   * @param onRetry told whenever the database could not be written to; the journal tries again
   * @param onBots told which bots have signals to follow, once these are durable
   */
  constructor(
    database: Database,
    nodeId: string,
    onRetry: (error: unknown) => void,
    onBots: (botIds: number[]) => void,
  ) {
    this.#write = database.prepare('write_runs', writeSql)
    this.#writeWithoutSignals = database.prepare('write_ends', writeWithoutSignalsSql)
    this.#nodeId = nodeId
    this.#onRetry = onRetry
    this.#onBots = onBots
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
    const live = batch.filter(({ claim }) => !this.#lostClaims.has(claim))
    const { held, signals, refused, bots } = await this.#writeEntries(live)
    if (bots.length > 0) this.#onBots(bots)
    return batch.map((entry) => {
      if (!held.has(entry.strategyId) || this.#lostClaims.has(entry.claim)) {
        this.#lostClaims.add(entry.claim)
        return { status: 'lost' }
      }
      if (entry.kind === 'signal' && refused.has(entry.runId)) return { status: 'refused' }
      return { status: 'written', signal: signals.get(entry.runId) ?? null }
    })
  }

  async #writeEntries(batch: JournalEntry[]): Promise<BatchOutcome> {
    if (batch.length === 0) return { held: new Set(), signals: new Map(), refused: new Set(), bots: [] }
    const [row] = await this.#writeUntilDone(batchValues(batch, this.#nodeId), signalValues(batch))
    return readAnswer(row![0]!)
  }

  /** What happened has happened: while the database is away, its record waits rather than being dropped. */
  async #writeUntilDone(values: string[], signals: string | undefined) {
    for (;;) {
      try {
        if (signals === undefined) return await this.#writeWithoutSignals(values)
        return await this.#write([...values, signals, Date.now()])
      } catch (error) {
        if (isDataRefused(error)) throw error
        this.#onRetry(error)
        await sleep(retryMs)
      }
    }
  }
}
