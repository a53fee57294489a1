import assert from 'node:assert/strict'
import { violations } from '@tickwright/sandbox'
import { and, eq, gt, inArray, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Note } from '../accounts/audit-log.ts'
import { AppError, notFound } from '../base/errors.ts'
import type { Window } from '../base/window.ts'
import { lockAccount } from '../db/account-lock.ts'
import type { Database, Db } from '../db/database.ts'
import {
  type ApprovalStatus,
  approvals,
  type LlmType,
  type StrategyChange,
  type StrategyType,
  signals,
  strategies,
} from '../db/schema.ts'
import { newVersion } from '../db/strategy-versions.ts'
import { betweenCursors, countUpToMost, inOrder, newestFirst } from '../db/windows.ts'
import type { Announce } from '../live/changes.ts'
import { demandAllowed, demandChangeAllowed } from './rules.ts'
import { sendStatement } from './send-statement.ts'

/** An action or a change of a model that waits, or has waited, for its owner's decision. */
export type Approval = Omit<typeof approvals.$inferSelect, 'number' | 'change'> & {
  strategyName: string
  strategyType: LlmType
  /** The strategy that a change is about. */
  targetName: string | null
  targetType: StrategyType | null
  /** Without the code, which can be long. */
  change: Omit<StrategyChange, 'code'> | null
  /** The signal, once the action is approved. */
  signalId: number | null
}

export type ApprovalFilter = { status?: ApprovalStatus; strategyId?: number; runId?: number }

type ApprovedChange = {
  userId: number
  byId: number
  targetId: number
  change: StrategyChange
  reason: string
}

/** Makes the changes that are approved, as `StrategyChanges` of the runs does. */
export type ChangeMaker = {
  /** Checks code again: the rules may be stricter than when the model asked. @throws {AppError} 400 */
  check(userId: number, targetId: number, change: StrategyChange): Promise<void>
  makeIn(tx: Db, change: ApprovedChange): Promise<{ told(): Promise<void> }>
}

export type ApprovalsParts = {
  database: Database
  changes: ChangeMaker
  /** Called with the bots that have signals to follow, after the commit. */
  onBots(botIds: number[]): void
  /** Called for each signal, after the commit. */
  onSignal(signal: { strategyId: number; signalId: number; approvalId: number }): void
  /** Called when notifications have been written. */
  onTold(): void
  /** Called when the last trigger of a strategy has changed, so that the next run sees it. */
  onChange(strategyId: number): Promise<void>
  /** Tells live streams. */
  announce: Announce
}

/** Uses the database's clock at this moment: the transaction may have begun earlier and waited for a lock. */
const isLate = sql`${approvals.expiresAt} <= clock_timestamp()`
const isPending = eq(approvals.status, 'PENDING')

const targets = alias(strategies, 'targets')

const shown = {
  id: approvals.id,
  userId: approvals.userId,
  strategyId: approvals.strategyId,
  strategyName: strategies.name,
  strategyType: sql<LlmType>`${strategies.type}`,
  runId: approvals.runId,
  kind: approvals.kind,
  targetId: approvals.targetId,
  targetName: targets.name,
  targetType: targets.type,
  change: sql<Approval['change']>`${approvals.change} - 'code'`,
  action: approvals.action,
  symbols: approvals.symbols,
  options: approvals.options,
  status: sql<ApprovalStatus>`case when ${isPending} and ${isLate} then 'EXPIRED' else ${approvals.status} end`,
  response: approvals.response,
  createdAt: approvals.createdAt,
  expiresAt: approvals.expiresAt,
  decidedAt: approvals.decidedAt,
  signalId: signals.id,
}

/** The owners' decisions about actions of their AI strategies. An approval of another user counts as missing. */
export class Approvals {
  #parts: ApprovalsParts

  constructor(parts: ApprovalsParts) {
    this.#parts = parts
  }

  /** Newest first. */
  async list(userId: number, filter: ApprovalFilter, window: Window): Promise<Approval[]> {
    const rows = await selectFrom(this.#parts.database.db)
      .where(and(matching(userId, filter), betweenCursors(approvals.id, window)))
      .orderBy(...inOrder(window, approvals.id))
      .limit(window.limit)
      .offset(window.offset)
    return newestFirst(rows, window)
  }

  /** At most one more than `mostCounted`. */
  count(userId: number, filter: ApprovalFilter): Promise<number> {
    return countUpToMost(this.#parts.database.db, approvals, matching(userId, filter))
  }

  /** Those of these approvals that are one of the users'. */
  byId(userIds: readonly number[], ids: readonly number[]): Promise<Approval[]> {
    return selectFrom(this.#parts.database.db).where(
      and(inArray(approvals.id, [...ids]), inArray(approvals.userId, [...userIds])),
    )
  }

  get(userId: number, id: number): Promise<Approval> {
    return need(this.#parts.database.db, userId, id)
  }

  /** What a model wants a strategy to be, with the code; `null` for an action. */
  async changeOf(userId: number, id: number): Promise<StrategyChange | null> {
    const isTheirs = and(eq(approvals.id, id), eq(approvals.userId, userId))
    const { db } = this.#parts.database
    const [row] = await db.select({ change: approvals.change }).from(approvals).where(isTheirs)
    if (row === undefined) throw notFound('approval', id)
    return row.change
  }

  /**
   * Sends the action or makes the change once, even if it is approved several times.
   * @throws {AppError} 404; 409 if the approval has ended, if its strategy may not send the action or make the change now,
   * or if the settings have changed since the model knew them; 429 if the account has sent too many actions in this
   * second. Then the approval stays pending.
   */
  async approve(userId: number, id: number, note: Note): Promise<Approval> {
    const change = await this.changeOf(userId, id)
    if (change !== null) return this.#approveChange(userId, id, change, note)
    const { database, onBots, onSignal, onTold, onChange, announce } = this.#parts
    const sent = await database.db.transaction((tx) => send(tx, userId, id, note))
    if (sent !== undefined) {
      if (sent.bots.length > 0) onBots(sent.bots)
      announce({ kind: 'signal', id: sent.signalId })
      if (sent.bots.length > 0) announce({ kind: 'bot_signal', id: sent.signalId, part: 'signal' })
      announce({ kind: 'approval', id, strategyId: sent.strategyId })
      onSignal({ strategyId: sent.strategyId, signalId: sent.signalId, approvalId: id })
      onTold()
      await onChange(sent.strategyId)
    }
    return this.get(userId, id)
  }

  async #approveChange(userId: number, id: number, change: StrategyChange, note: Note): Promise<Approval> {
    const { database, changes, announce } = this.#parts
    const { targetId, status } = await this.get(userId, id)
    if (status === 'PENDING') await changes.check(userId, targetId!, change)
    const made = await database.db.transaction((tx) => make(tx, changes, { userId, id, change, note }))
    if (made !== undefined) {
      announce({ kind: 'approval', id, strategyId: made.strategyId })
      await made.told()
    }
    return this.get(userId, id)
  }

  /** @throws {AppError} 404; 409 if the approval has ended, unless it was rejected */
  async reject(userId: number, id: number, note: Note): Promise<Approval> {
    const rejectedOf = await this.#parts.database.db.transaction(async (tx) => {
      await lockAccount(tx, userId)
      const { status, strategyId } = await need(tx, userId, id)
      if (status === 'REJECTED') return undefined
      const rejected = await tx
        .update(approvals)
        .set({ status: 'REJECTED', decidedAt: sql`clock_timestamp()` })
        .where(and(eq(approvals.id, id), isPending, gt(approvals.expiresAt, sql`clock_timestamp()`)))
        .returning({ id: approvals.id })
      if (rejected.length === 0) throw decided(await need(tx, userId, id), 'rejected')
      await note(tx, { id, strategy_id: strategyId })
      return strategyId
    })
    if (rejectedOf !== undefined) this.#parts.announce({ kind: 'approval', id, strategyId: rejectedOf })
    return this.get(userId, id)
  }
}

type SentAction = { bots: number[]; strategyId: number; signalId: number }

/** Resolves to `undefined` if the action was already sent. */
async function send(tx: Db, userId: number, id: number, note: Note): Promise<SentAction | undefined> {
  // One decision of an account at a time. The order of the locks is the same everywhere, so that nobody deadlocks:
  // account, strategy, rate, state, approval.
  await lockAccount(tx, userId)
  const approval = await need(tx, userId, id)
  if (approval.status === 'APPROVED') return undefined
  if (approval.status !== 'PENDING') throw decided(approval, 'approved')
  const { strategyId } = approval
  // The new version makes the holder of the strategy read the last trigger again before the next run.
  const held = await tx
    .update(strategies)
    .set(newVersion)
    .where(and(eq(strategies.id, strategyId), eq(strategies.userId, userId)))
    .returning({ id: strategies.id })
  if (held.length === 0) throw notFound('approval', id)
  await demandAllowed(tx, actionOf(approval))
  await note(tx, { id, strategy_id: strategyId })
  const [sent] = await execute(tx, sendStatement(approval))
  if (sent !== undefined) return { bots: sent.bots, strategyId, signalId: Number(sent.id) }
  const now = await need(tx, userId, id)
  if (now.status !== 'PENDING') throw decided(now, 'approved')
  await demandAllowed(tx, actionOf(now))
  throw tooMany()
}

/** Only changes have none, and they are not sent. */
function actionOf({ action, ...approval }: Approval) {
  assert.ok(action !== null)
  return { ...approval, action }
}

type Order = { userId: number; id: number; change: StrategyChange; note: Note }

/** Resolves to `undefined` if the change was already made. The locks have the same order as those of an action. */
async function make(tx: Db, changes: ChangeMaker, { userId, id, change, note }: Order) {
  await lockAccount(tx, userId)
  const approval = await need(tx, userId, id)
  if (approval.status === 'APPROVED') return undefined
  if (approval.status !== 'PENDING') throw decided(approval, 'approved')
  const { strategyId, targetId, runId } = approval
  await demandChangeAllowed(tx, {
    strategyId,
    targetId: targetId!,
    kind: change.kind,
    createdAt: approval.createdAt,
  })
  await note(tx, { id, strategy_id: strategyId })
  const reason = `Approval ${id}, asked for by the model of run ${runId}`
  const made = await changes.makeIn(tx, { userId, byId: strategyId, targetId: targetId!, change, reason })
  const approved = await tx
    .update(approvals)
    .set({ status: 'APPROVED', decidedAt: sql`clock_timestamp()` })
    .where(and(eq(approvals.id, id), isPending, gt(approvals.expiresAt, sql`clock_timestamp()`)))
    .returning({ id: approvals.id })
  // It has expired meanwhile, or a newer one has replaced it. Nothing of this transaction stays.
  if (approved.length === 0) throw decided(await need(tx, userId, id), 'approved')
  return { strategyId, told: made.told }
}

async function execute(tx: Db, statement: SQL): Promise<{ id: string | number; bots: number[] }[]> {
  // Both databases answer like this, but their common type does not say so.
  return ((await tx.execute(statement)) as unknown as { rows: { id: string; bots: number[] }[] }).rows
}

const ends: Record<ApprovalStatus, string> = {
  PENDING: 'is still pending',
  APPROVED: 'was already approved',
  REJECTED: 'was already rejected',
  EXPIRED: 'has expired',
  SUPERSEDED: 'was replaced by a newer one',
  NOT_NEEDED: 'was not needed',
}

/** @param wanted the decision that is no longer possible */
function decided({ id, status }: Approval, wanted: 'approved' | 'rejected'): AppError {
  return new AppError(
    'resource_conflict',
    `Approval ${id} ${ends[status]}, so it can no longer be ${wanted}. Its status is ${status}.`,
  )
}

function tooMany(): AppError {
  return new AppError(
    'rate_limited',
    `${violations.action_rate().message} The approval is still waiting: try again in a second.`,
    { retryAfterSeconds: 1 },
  )
}

async function need(db: Db, userId: number, id: number): Promise<Approval> {
  const [approval] = await selectFrom(db).where(and(eq(approvals.id, id), eq(approvals.userId, userId)))
  if (approval === undefined) throw notFound('approval', id)
  return approval
}

function selectFrom(db: Db) {
  return db
    .select(shown)
    .from(approvals)
    .innerJoin(strategies, eq(strategies.id, approvals.strategyId))
    .leftJoin(signals, and(eq(signals.runId, approvals.runId), eq(approvals.kind, 'action')))
    .leftJoin(targets, eq(targets.id, approvals.targetId))
}

function matching(userId: number, { status, strategyId, runId }: ApprovalFilter): SQL | undefined {
  return and(
    eq(approvals.userId, userId),
    strategyId === undefined ? undefined : eq(approvals.strategyId, strategyId),
    runId === undefined ? undefined : eq(approvals.runId, runId),
    status === undefined ? undefined : hasStatus(status),
  )
}

function hasStatus(status: ApprovalStatus): SQL | undefined {
  if (status === 'PENDING') return and(isPending, sql`not ${isLate}`)
  if (status === 'EXPIRED') return sql`(${eq(approvals.status, status)} or (${isPending} and ${isLate}))`
  return eq(approvals.status, status)
}
