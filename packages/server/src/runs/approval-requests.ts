import { type ActionName, type ActionOptions, violations } from '@tickwright/sandbox'
import type { AwaitedAction } from '../ai/gate.ts'
import type { Database, PreparedStatement } from '../db/database.ts'
import { untilWritten } from '../db/until-written.ts'
import type { Announce } from '../live/changes.ts'
import { requestSql, respondSql } from './approval-statement.ts'
import { storable } from './journal-statement.ts'

/** The run whose model requests an action. */
export type AskingRun = { id: number; strategyId: number }

/** Stores requests for approval. A request is durable, with its notification to the owner, before the model continues. */
export class ApprovalRequests {
  #request: PreparedStatement
  #respond: PreparedStatement
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
    this.#respond = database.prepare('respond_to_approval', respondSql)
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
    options: ActionOptions,
  ): Promise<AwaitedAction> {
    const what = [action, JSON.stringify(symbols.map(storable)), JSON.stringify(options)]
    const values = [run.strategyId, this.#nodeId, run.id, ...what]
    const [row] = await this.#untilDone(() => this.#request(values))
    const [id, isHeld, superseded] = row!
    if (id === null) {
      // If this node holds the strategy, the statement refuses nothing else.
      if (isHeld === 't') throw violations.consecutive_exit()
      throw new Error('The action was not accepted, because another node takes over this run.')
    }
    this.#onTold()
    const { strategyId } = run
    for (const each of [...(JSON.parse(superseded ?? '[]') as number[]), Number(id)]) {
      this.#announce({ kind: 'approval', id: each, strategyId })
    }
    return { action, symbols, awaitsApproval: true }
  }

  /** Stores the model's last text with the request of its run. */
  async respond(run: AskingRun, words: string): Promise<void> {
    const write = () => this.#respond([run.id, storable(words), this.#nodeId])
    // If the database refuses the text, the run still ends.
    await this.#untilDone(write).catch(() => undefined)
  }

  /** Waits while the database cannot be reached. @throws if the database refuses the values */
  #untilDone<T>(write: () => Promise<T>): Promise<T> {
    return untilWritten(write, this.#onRetry).catch((error: unknown) => {
      this.#onRetry(error)
      throw error
    })
  }
}
