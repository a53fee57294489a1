import type { SyntaxChecker } from '@tickwright/sandbox'
import { and, asc, eq, getTableColumns, isNull, type SQL, sql } from 'drizzle-orm'
import type { Database, Db } from '../db/database.ts'
import { dataWebhooks, runs, type Suspension, strategies, strategyState } from '../db/schema.ts'
import { invalidField, notFound } from '../errors.ts'
import { holdFolder } from '../folders/folders.ts'
import { checkCode } from './code-check.ts'
import { anew } from './versions.ts'

const type = 'code-reaction'

export type StrategyStatus = 'ACTIVE' | 'INACTIVE' | 'SUSPENDED'

/** What a user decides about a reaction; what is left out stays as it is, or takes its default. */
export type ReactionWish = {
  name?: string
  folderId?: number | null
  sendSignal?: boolean
  symbol?: string | null
  code?: string
  usePrice?: boolean
  exchangeId?: number | null
  priceSymbol?: string | null
  dataWebhookId?: number | null
  delay?: number | null
}

/** A reaction with where its runs have brought it. */
export type Reaction = typeof strategies.$inferSelect & { state: typeof strategyState.$inferSelect }

/** What a list of reactions is narrowed by. `folderId: null` asks for those that are in no folder. */
export type ReactionFilter = { dataWebhookId?: number; folderId?: number | null }

export type ReactionParts = {
  database: Database
  syntax: Pick<SyntaxChecker, 'check'>
  exchangeExists(id: number): boolean
  /** Told of every change, so that the next run sees it. */
  onChange(strategyId: number): Promise<void>
}

/** The code reactions of all users. What belongs to another user is not found. */
export class CodeReactions {
  #database: Database
  #syntax: ReactionParts['syntax']
  #exchangeExists: ReactionParts['exchangeExists']
  #onChange: ReactionParts['onChange']

  constructor(parts: ReactionParts) {
    this.#database = parts.database
    this.#syntax = parts.syntax
    this.#exchangeExists = parts.exchangeExists
    this.#onChange = parts.onChange
  }

  async create(userId: number, wish: ReactionWish): Promise<Reaction> {
    const code = wish.code ?? ''
    await checkCode(code, userId, this.#syntax)
    this.#checkExchange(wish.exchangeId)
    const id = await this.#database.db.transaction(async (tx) => {
      await checkWebhook(tx, userId, wish.dataWebhookId)
      await holdFolder(tx, userId, wish.folderId, type)
      const [row] = await tx
        .insert(strategies)
        .values({ ...wish, userId, type, name: wish.name ?? '', code })
        .returning({ id: strategies.id })
      await tx.insert(strategyState).values({ strategyId: row!.id })
      return row!.id
    })
    return this.get(userId, id)
  }

  async get(userId: number, id: number): Promise<Reaction> {
    const [reaction] = await this.#select(and(eq(strategies.id, id), own(userId)))
    if (reaction === undefined) throw notFound('code reaction', id)
    return reaction
  }

  list(
    userId: number,
    window: { limit: number; offset: number },
    filter: ReactionFilter = {},
  ): Promise<Reaction[]> {
    return this.#select(matching(userId, filter)).limit(window.limit).offset(window.offset)
  }

  count(userId: number, filter: ReactionFilter = {}): Promise<number> {
    return this.#database.db.$count(strategies, matching(userId, filter))
  }

  async change(userId: number, id: number, wish: ReactionWish): Promise<Reaction> {
    if (wish.code !== undefined) await checkCode(wish.code, userId, this.#syntax)
    this.#checkExchange(wish.exchangeId)
    await this.#database.db.transaction(async (tx) => {
      await checkWebhook(tx, userId, wish.dataWebhookId)
      await holdFolder(tx, userId, wish.folderId, type)
      const changed = await tx
        .update(strategies)
        .set({ ...wish, ...anew, updatedAt: sql`now()` })
        .where(and(eq(strategies.id, id), own(userId)))
        .returning({ id: strategies.id })
      if (changed.length === 0) throw notFound('code reaction', id)
    })
    await this.#onChange(id)
    return this.get(userId, id)
  }

  /** `ACTIVE` ends a suspension too, but keeps the count of violations. */
  async setStatus(userId: number, id: number, status: 'ACTIVE' | 'INACTIVE'): Promise<Reaction> {
    await this.#database.db.transaction(async (tx) => {
      const changed = await tx
        .update(strategies)
        .set({ status, ...anew, updatedAt: sql`now()` })
        .where(and(eq(strategies.id, id), own(userId)))
        .returning({ id: strategies.id })
      if (changed.length === 0) throw notFound('code reaction', id)
      if (status === 'ACTIVE') {
        await tx.update(strategyState).set({ suspendedUntil: null }).where(eq(strategyState.strategyId, id))
      }
    })
    await this.#onChange(id)
    return this.get(userId, id)
  }

  /** Forgets the last trigger, the stored value, or both. */
  async reset(userId: number, id: number, what: { triggers: boolean; storage: boolean }): Promise<void> {
    await this.#database.db.transaction(async (tx) => {
      const found = await tx
        .update(strategies)
        .set(anew)
        .where(and(eq(strategies.id, id), own(userId)))
        .returning({ id: strategies.id })
      if (found.length === 0) throw notFound('code reaction', id)
      await tx
        .update(strategyState)
        .set({
          ...(what.triggers ? { lastAction: null, lastPrice: null, lastActionAt: null } : {}),
          ...(what.storage ? { storage: null } : {}),
          // Drizzle wants at least one column, and a reset of nothing is no error.
          strategyId: id,
        })
        .where(eq(strategyState.strategyId, id))
    })
    await this.#onChange(id)
  }

  async delete(userId: number, id: number): Promise<void> {
    await this.#database.db.transaction(async (tx) => {
      const gone = await tx
        .delete(strategies)
        .where(and(eq(strategies.id, id), own(userId)))
        .returning({ id: strategies.id })
      if (gone.length === 0) throw notFound('code reaction', id)
      await tx.delete(runs).where(eq(runs.strategyId, id))
    })
    await this.#onChange(id)
  }

  /** What `$.Strategy.stop` does: its own strategy, whoever owns it. */
  async deactivate(id: number): Promise<void> {
    await this.#database.db
      .update(strategies)
      .set({ status: 'INACTIVE', ...anew, updatedAt: sql`now()` })
      .where(eq(strategies.id, id))
    await this.#onChange(id)
  }

  #checkExchange(id: number | null | undefined): void {
    if (id === null || id === undefined || this.#exchangeExists(id)) return
    throw invalidField('exchange_id', `names no exchange of the catalogue: ${id}`)
  }

  #select(where: SQL | undefined) {
    return this.#database.db
      .select({ ...getTableColumns(strategies), state: getTableColumns(strategyState) })
      .from(strategies)
      .innerJoin(strategyState, eq(strategyState.strategyId, strategies.id))
      .where(where)
      .orderBy(asc(strategies.id))
      .$dynamic()
  }
}

function own(userId: number) {
  return and(eq(strategies.userId, userId), eq(strategies.type, type))
}

function matching(userId: number, { dataWebhookId, folderId }: ReactionFilter): SQL | undefined {
  const inFolder = folderId === null ? isNull(strategies.folderId) : eq(strategies.folderId, folderId ?? 0)
  return and(
    own(userId),
    dataWebhookId === undefined ? undefined : eq(strategies.dataWebhookId, dataWebhookId),
    folderId === undefined ? undefined : inFolder,
  )
}

/** A suspension ends by itself: nothing has to happen for it but time. */
export function currentStatus(reaction: Reaction, now: Date): StrategyStatus {
  if (reaction.status === 'INACTIVE') return 'INACTIVE'
  return isSuspended(reaction, now) ? 'SUSPENDED' : 'ACTIVE'
}

/** What suspended a strategy, while it does. */
export function currentSuspension(
  reaction: Reaction,
  now: Date,
): { until: Date; why: Suspension } | undefined {
  const { suspendedUntil, suspension } = reaction.state
  if (!isSuspended(reaction, now) || suspendedUntil === null || suspension === null) return undefined
  return { until: suspendedUntil, why: suspension }
}

function isSuspended(reaction: Reaction, now: Date): boolean {
  return reaction.state.suspendedUntil !== null && reaction.state.suspendedUntil > now
}

/** Holds the webhook in place until the reaction is attached to it. */
async function checkWebhook(tx: Db, userId: number, id: number | null | undefined): Promise<void> {
  if (id === null || id === undefined) return
  const [webhook] = await tx
    .select({ id: dataWebhooks.id })
    .from(dataWebhooks)
    .where(and(eq(dataWebhooks.id, id), eq(dataWebhooks.userId, userId)))
    .for('share')
  if (webhook === undefined) {
    throw invalidField('data_webhook_id', `names no data webhook of yours: ${id}`)
  }
}
