import type { Database, PreparedStatement, TextRow } from '../db/database.ts'
import { GroupCommit } from '../db/group-commit.ts'
import { untilWritten } from '../db/until-written.ts'
import type { Announce, Stored } from '../live/changes.ts'
import type { Audience } from './journal-events.ts'
import {
  type BatchOutcome,
  batchValues,
  type FinishEntry,
  hasEvents,
  type JournalEntry,
  readAnswer,
  type SentSignal,
  type SignalEntry,
  type StoredSignal,
  signalValues,
  writeSql,
  writeWithoutSignalsSql,
} from './journal-statement.ts'
import { signalParameters, writeSignalSql } from './signal-statement.ts'

/**
 * `written`: with the stored `signal` if the entry was one. `refused`: the account has no action left in this second,
 * so the signal was not stored. `lost`: this node no longer holds the strategy, or the run had already ended, so none
 * of this strategy's entries were written.
 */
export type Written =
  | { status: 'written'; signal: SentSignal | null }
  | { status: 'refused' }
  | { status: 'lost' }

/** Entries whose batches follow one another. */
type Lane = GroupCommit<JournalEntry, Written>

const mostInBatch = 500
/** What code stores is shorter: only models store more characters. */
const longStorage = 32 * 1024
/** A run waits for its signal, but nothing waits for an end: a batch of ends costs little more than one of them. */
const endsPatienceMs = 10

/**
 * Writes the starts, signals and ends of runs to the database: those of each strategy in the order in which they
 * happened. A batch is one transaction. It changes nothing of a strategy that this node no longer holds. If an entry was
 * not written, nothing that follows under the same claim is, because it builds on that entry.
 */
export class Journal {
  /** For batches with events to notify someone of, and for batches without. */
  #withEvents: Statements
  #withoutEvents: Statements
  #writeSignal: PreparedStatement
  #nodeId: string
  #signals: Lane
  #ends: Lane
  /** For ends that store a long value: each alone, so that no other end waits for it. */
  #longEnds: Lane
  /** The strategies with entries that are not written yet. While it has some, its next ones follow in the same lane. */
  #unwritten = new Map<number, { lane: Lane; entries: number }>()
  #onRetry: (error: unknown) => void
  #onBots: (botIds: number[]) => void
  #audience: Audience
  #announce: Announce

  /**
   * @param onRetry called for each failed write to the database, before the next attempt
   * @param onBots called with the bots that have signals to follow, once these are durable
   * @param audience the users who get notifications; by default none, but mails are sent
   * @param announce tells live streams what was written; default: nobody
   */
  constructor(
    database: Database,
    nodeId: string,
    onRetry: (error: unknown) => void,
    onBots: (botIds: number[]) => void,
    audience: Audience = { hears: () => false, onTold: () => undefined },
    announce: Announce = () => undefined,
  ) {
    this.#withEvents = prepare(database, true)
    this.#withoutEvents = prepare(database, false)
    this.#writeSignal = database.prepare('write_signal', writeSignalSql)
    this.#nodeId = nodeId
    this.#onRetry = onRetry
    this.#onBots = onBots
    this.#audience = audience
    this.#announce = announce
    const lane = (batchLimit: number, patienceMs: number): Lane =>
      new GroupCommit({
        commit: (batch) => this.#commit(batch),
        batchLimit,
        isolateFailures: true,
        patienceMs,
      })
    this.#signals = lane(mostInBatch, 0)
    this.#ends = lane(mostInBatch, endsPatienceMs)
    this.#longEnds = lane(1, 0)
  }

  /** Waits while the database cannot be reached. @throws if the database refuses this entry */
  async write(entry: JournalEntry): Promise<Written> {
    const { strategyId } = entry.claim
    let unwritten = this.#unwritten.get(strategyId)
    if (unwritten === undefined) {
      unwritten = { lane: this.#laneFor(entry), entries: 0 }
      this.#unwritten.set(strategyId, unwritten)
    }
    unwritten.entries++
    try {
      const written = unwritten.lane.submit(entry)
      if (entry.kind === 'signal') unwritten.lane.hurry()
      return await written
    } finally {
      unwritten.entries--
      if (unwritten.entries === 0) this.#unwritten.delete(strategyId)
    }
  }

  /** Writes what is waiting without waiting for more. */
  hurry(): void {
    this.#ends.hurry()
  }

  async drain(): Promise<void> {
    await Promise.all([this.#signals, this.#ends, this.#longEnds].map((lane) => lane.drain()))
  }

  #laneFor(entry: JournalEntry): Lane {
    if (entry.kind === 'signal') return this.#signals
    const isLong = entry.kind === 'finish' && (entry.storage?.length ?? 0) > longStorage
    return isLong ? this.#longEnds : this.#ends
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
      const signal = signals.get(entry.runId) ?? null
      this.#announceWritten(entry, signal)
      return { status: 'written', signal: signal && { id: signal.id, delivered: signal.delivered } }
    })
  }

  #announceWritten(entry: JournalEntry, signal: StoredSignal | null): void {
    const { strategyId } = entry.claim
    if (entry.kind !== 'signal') {
      this.#announce({ kind: 'run', id: entry.runId, strategyId }, endedRun(entry))
      if (entry.kind === 'finish' && entry.suspension !== null) {
        this.#announce({ kind: 'suspension', id: strategyId, strategyId })
      }
    } else if (signal !== null) {
      const { id, as } = signal
      const known = as && {
        userId: entry.userId,
        ...(as.webhookId === null ? {} : { webhookId: as.webhookId }),
      }
      this.#announce({ kind: 'signal', id, ...known }, unheededSignal(entry, signal))
      if (signal.delivered) this.#announce({ kind: 'bot_signal', id: signal.id, part: 'signal' })
    }
  }

  async #writeEntries(batch: JournalEntry[]): Promise<BatchOutcome> {
    if (batch.length === 0) return { held: new Set(), signals: new Map(), refused: new Set(), bots: [] }
    const notifies = hasEvents(batch, this.#audience)
    const [row] = await untilWritten(this.#statementFor(batch, notifies), this.#onRetry)
    if (notifies) this.#audience.onTold()
    return readAnswer(row![0]!)
  }

  /** The statement for a batch, as a function that can be called until it succeeds. */
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

/** A run whose end this node has just written. */
export type EndedRun = Stored & { entry: FinishEntry; known: NonNullable<FinishEntry['known']> }

function endedRun(entry: JournalEntry): EndedRun | undefined {
  if (entry.kind !== 'finish' || entry.known === undefined) return undefined
  const { known, log } = entry
  return { entry, known, sizeBytes: 1_000 + 2 * (log?.length ?? 0) }
}

/** A signal that this node has just stored, and that no bot took. What bots do with the others, only the database knows. */
export type UnheededSignal = Stored & { id: number; entry: SignalEntry; as: NonNullable<StoredSignal['as']> }

function unheededSignal(entry: SignalEntry, { id, delivered, as }: StoredSignal): UnheededSignal | undefined {
  if (delivered || as === undefined) return undefined
  return { id, entry, as, sizeBytes: 1_000 + 2 * entry.symbols.join('').length }
}

type Statements = { write: PreparedStatement; writeWithoutSignals: PreparedStatement }

function prepare(database: Database, notifies: boolean): Statements {
  const suffix = notifies ? '_telling' : ''
  return {
    write: database.prepare(`write_runs${suffix}`, writeSql(notifies)),
    writeWithoutSignals: database.prepare(`write_ends${suffix}`, writeWithoutSignalsSql(notifies)),
  }
}
