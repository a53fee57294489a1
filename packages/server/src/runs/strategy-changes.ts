import type { ReadStrategy, WantedChange } from '../ai/strategy-tools.ts'
import type { Db } from '../db/database.ts'
import type { StrategyChange } from '../db/schema.ts'

/** A strategy with the tag of its settings. */
export type KnownStrategy = ReadStrategy & { etag: string }

/** A change whose transaction may not have been committed yet; `told` lets the next run see it, after the commit. */
export type MadeChange = { told(): Promise<void> }

/** Who changes what. `byId` is the AI strategy. */
export type ChangeOrder = {
  userId: number
  byId: number
  targetId: number
  change: StrategyChange
  reason: string
}

/** Reads, checks and changes code strategies and code reactions. */
export type StrategyChanges = {
  /** `undefined` if the user has no such strategy. */
  read(userId: number, id: number): Promise<KnownStrategy | undefined>
  /** Why a change cannot be saved, as a sentence; `undefined` if it can. */
  problemWith(userId: number, strategy: KnownStrategy, wanted: WantedChange): Promise<string | undefined>
  /** Whether a person has to approve a change, whatever its owner has chosen. */
  needsPerson(tx: Db, userId: number, targetId: number, wanted: WantedChange): Promise<boolean>
  /**
   * Makes a change as a part of a transaction.
   * @throws {AppError} 404 without the strategy, 409 if its settings have another tag, 400 if it cannot be so
   */
  makeIn(tx: Db, order: ChangeOrder): Promise<MadeChange>
}
