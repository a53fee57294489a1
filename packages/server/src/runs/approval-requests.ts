import { type ActionName, type ActionOptions, violations } from '@tickwright/sandbox'
import type { AwaitedAction } from '../ai/gate.ts'
import type { Database, PreparedStatement } from '../db/database.ts'
import { untilWritten } from '../db/until-written.ts'
import { requestSql, respondSql } from './approval-statement.ts'
import { storable } from './journal-statement.ts'

/** The run of a model that asks. */
export type AskingRun = { id: number; strategyId: number }

/** Where runs ask their owners for approval. It is durable, and the owner is told, before the model goes on. */
export class ApprovalRequests {
  #request: PreparedStatement
  #respond: PreparedStatement
  #nodeId: string
  #onTold: () => void
  #onRetry: (error: unknown) => void

  /**
   * @param onTold told when there is something to be told by mail and notification
   * @param onRetry told whenever the database could not be written to; it is tried again
   */
  constructor(database: Database, nodeId: string, onTold: () => void, onRetry: (error: unknown) => void) {
    this.#request = database.prepare('request_approval', requestSql)
    this.#respond = database.prepare('respond_to_approval', respondSql)
    this.#nodeId = nodeId
    this.#onTold = onTold
    this.#onRetry = onRetry
  }

  /**
   * Once for each run, however often it is asked.
   * @throws {RunViolation} for an `EXIT` after an `EXIT`; and when another node is taking the strategy over
   */
  async ask(
    run: AskingRun,
    action: ActionName,
    symbols: string[],
    options: ActionOptions,
  ): Promise<AwaitedAction> {
    const what = [action, JSON.stringify(symbols.map(storable)), JSON.stringify(options)]
    const values = [run.strategyId, this.#nodeId, run.id, ...what]
    const [row] = await this.#untilDone(() => this.#request(values))
    const [id, isHeld] = row!
    if (id === null) {
      // The statement refuses nothing else of a strategy that this node holds.
      if (isHeld === 't') throw violations.consecutive_exit()
      throw new Error('The action was not accepted: this run is being taken over by another node.')
    }
    this.#onTold()
    return { action, symbols, awaitsApproval: true }
  }

  /** Keeps the model's last words with what its run asked for. */
  async respond(run: AskingRun, words: string): Promise<void> {
    const write = () => this.#respond([run.id, storable(words), this.#nodeId])
    // Words that the database refuses are no reason for a run to have no end.
    await this.#untilDone(write).catch(() => undefined)
  }

  /** @throws when the database refuses what is written itself; while it is out of reach this waits */
  #untilDone<T>(write: () => Promise<T>): Promise<T> {
    return untilWritten(write, this.#onRetry).catch((error: unknown) => {
      this.#onRetry(error)
      throw error
    })
  }
}
