import { type ActionName, violations } from '@tickwright/sandbox'
import { and, eq, sql } from 'drizzle-orm'
import type { AwaitedAction } from '../ai/gate.ts'
import { isDatabaseAway } from '../base/failures.ts'
import type { Database, Db, PreparedStatement } from '../db/database.ts'
import { approvals, type SignalOptions, type StrategyChange } from '../db/schema.ts'
import { untilWritten } from '../db/until-written.ts'
import type { Announce } from '../live/changes.ts'
import { requestChangeSql, requestSql, respondSql } from './approval-statement.ts'
import { storable } from './journal-statement.ts'
import { holdRun } from './run-hold.ts'
import type { MadeChange } from './strategy-changes.ts'

/** The run whose model requests an action. */
export type AskingRun = { id: number; strategyId: number }

/** Stores requests for approval. A request is durable, with its notification to the owner, before the model continues. */
export class ApprovalRequests {
  #request: PreparedStatement
  #requestChange: PreparedStatement
  #respond: PreparedStatement
  #database: Database
  #nodeId: string
  #onTold: () => void
  #announce: Announce
  #onRetry: (error: unknown) => void

  /**
   * @param onTold called when a mail and a notification wait to be sent
   * @param onRetry called for each failed write to the database, before the next attempt
   * @param announce tells live streams; default: nobody
   */
  constructor(
    database: Database,
    nodeId: string,
    onTold: () => void,
    onRetry: (error: unknown) => void,
    announce: Announce = () => undefined,
  ) {
    this.#request = database.prepare('request_approval', requestSql)
    this.#requestChange = database.prepare('request_change', requestChangeSql)
    this.#respond = database.prepare('respond_to_approval', respondSql)
    this.#database = database
    this.#nodeId = nodeId
    this.#onTold = onTold
    this.#onRetry = onRetry
    this.#announce = announce
  }

  /**
   * Stores one request for each run, even if it is called several times.
   * @throws {RunViolation} for an `EXIT` after an `EXIT`
   * @throws {Error} if another node takes over the strategy
   */
  async ask(
    run: AskingRun,
    action: ActionName,
    symbols: string[],
    options: SignalOptions,
  ): Promise<AwaitedAction> {
    const what = [action, JSON.stringify(symbols.map(storable)), JSON.stringify(options)]
    const { id, isHeld } = await this.#store(this.#request, run, what)
    // If this node holds the strategy, the statement refuses nothing else.
    if (id === null && isHeld) throw violations.consecutive_exit()
    if (id === null) throw takenOver('action')
    return { action, symbols, awaitsApproval: true }
  }

  /**
   * Stores a request for a change of another strategy: one for each number of a run, even if it is called several times.
   * @throws {Error} if another node takes over the strategy
   */
  async askForChange(
    run: AskingRun,
    number: number,
    targetId: number,
    change: StrategyChange,
  ): Promise<void> {
    const what = [number, change.kind, targetId, JSON.stringify(change)]
    const { id } = await this.#store(this.#requestChange, run, what)
    if (id === null) throw takenOver('change')
  }

  /**
   * Makes a change that needs no approval, and records it as an approval that was not needed, in one transaction: so a run
   * that is executed again does not make it again.
   * @param make returns `null` if a person has to approve it after all: then nothing is recorded
   * @returns whether it was made
   * @throws what `make` does; {Error} if another node takes over the strategy
   */
  async changeAtOnce(
    run: AskingRun,
    number: number,
    targetId: number,
    change: StrategyChange,
    make: (tx: Db) => Promise<MadeChange | null>,
  ): Promise<boolean> {
    let made: MadeChange | null = null
    const attempt = () =>
      this.#database.db.transaction(async (tx) => {
        const held = await holdRun(tx, run, this.#nodeId)
        if (held === undefined) throw takenOver('change')
        const isThisOne = and(eq(approvals.runId, run.id), eq(approvals.number, number))
        const [known] = await tx.select({ id: approvals.id }).from(approvals).where(isThisOne)
        // An earlier attempt has made it, and the answer to its commit was lost.
        if (known !== undefined) return known.id
        made = await make(tx)
        if (made === null) return null
        const [row] = await tx
          .insert(approvals)
          .values({
            ...{ userId: held.userId, strategyId: run.strategyId, runId: run.id, number },
            ...{ kind: change.kind, targetId, change, status: 'NOT_NEEDED' },
            ...{ createdAt: sql`now()`, expiresAt: sql`now()`, decidedAt: sql`now()` },
          })
          .returning({ id: approvals.id })
        return row!.id
      })
    // A refusal of the change is an answer, and stays the same: only a database that is away is asked again.
    const outcome = await this.#untilDone(async () => {
      try {
        return { id: await attempt() }
      } catch (error) {
        if (isDatabaseAway(error)) throw error
        return { error }
      }
    })
    if ('error' in outcome) throw outcome.error
    if (outcome.id === null) return false
    this.#announce({ kind: 'approval', id: outcome.id, strategyId: run.strategyId })
    await (made as MadeChange | null)?.told()
    return true
  }

  async #store(request: PreparedStatement, run: AskingRun, what: (string | number)[]) {
    const { strategyId } = run
    const [row] = await this.#untilDone(() => request([strategyId, this.#nodeId, run.id, ...what]))
    const [id, isHeld, superseded] = row!
    if (id !== null) {
      this.#onTold()
      for (const each of [...(JSON.parse(superseded ?? '[]') as number[]), Number(id)]) {
        this.#announce({ kind: 'approval', id: each, strategyId })
      }
    }
    return { id, isHeld: isHeld === 't' }
  }

  /** Stores the model's last text with the requests of its run, and tells those who already look at them. */
  async respond(run: AskingRun, words: string): Promise<void> {
    const write = () => this.#respond([run.id, storable(words), this.#nodeId])
    // If the database refuses the text, the run still ends.
    const answered = await this.#untilDone(write).catch(() => [])
    for (const [id] of answered) {
      this.#announce({ kind: 'approval', id: Number(id), strategyId: run.strategyId })
    }
  }

  /** Waits while the database cannot be reached. @throws if the database refuses the values */
  #untilDone<T>(write: () => Promise<T>): Promise<T> {
    return untilWritten(write, this.#onRetry).catch((error: unknown) => {
      this.#onRetry(error)
      throw error
    })
  }
}

function takenOver(what: 'action' | 'change'): Error {
  return new Error(`The ${what} was not accepted, because another node takes over this run.`)
}
