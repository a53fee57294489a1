import { isDeepStrictEqual } from 'node:util'
import type { SyntaxChecker } from '@tickwright/sandbox'
import { and, asc, eq, getTableColumns, isNull, or, type SQL, sql } from 'drizzle-orm'
import { invalidField, notFound } from '../base/errors.ts'
import type { Database, Db } from '../db/database.ts'
import {
  llmReactions,
  runs,
  runTranscripts,
  type StrategyType,
  strategies,
  strategyState,
} from '../db/schema.ts'
import { anew } from '../db/strategy-versions.ts'
import type { UserLimits } from '../db/user-limits.ts'
import { holdFolder } from '../folders/folders.ts'
import { checkSchedule, normalInterval, type Schedule } from '../schedules/cron-interval.ts'
import { setSchedule } from '../schedules/schedules.ts'
import { holdUsableWebhook } from '../webhooks/access.ts'
import { checkCode } from './code-check.ts'
import type { Reset } from './kinds.ts'
import {
  addLlmSettings,
  changeLlmSettings,
  checkPrompt,
  copyLlmSettings,
  demandQuestion,
  forgetResponse,
  holdAiConnection,
} from './llm-settings.ts'
import { publicOne } from './public-strategies.ts'
import { checkTickMarket, scheduleOf, tickMarket } from './schedule.ts'
import { isSuspended } from './status.ts'
import { type ListedStrategy, type Strategy, type StrategySettings, typeName } from './strategy.ts'

/** What a list of strategies is narrowed by. `folderId: null` asks for those that are in no folder. */
export type StrategyFilter = { dataWebhookId?: number; folderId?: number | null }

export type StrategiesParts = {
  database: Database
  limits: UserLimits
  syntax: Pick<SyntaxChecker, 'check'>
  exchangeExists(id: number): boolean
  /** Told of every change, so that the next run sees it. */
  onChange(strategyId: number): Promise<void>
  /** Told when other moments or other prices may set strategies off. */
  onSchedule(): void
}

/** What a new strategy has where its owner has decided nothing. */
const defaults: Record<StrategyType, StrategySettings> = {
  'code-strategy': { cronInterval: '1M', timezone: 'UTC' },
  'code-reaction': {},
  'llm-reaction': { llm: {} },
}

const { code: _code, ...listed } = getTableColumns(strategies)
const { storage: _storage, ...listedState } = getTableColumns(strategyState)
const { prompt: _prompt, response: _response, ...listedLlm } = getTableColumns(llmReactions)
const whole = {
  ...getTableColumns(strategies),
  state: getTableColumns(strategyState),
  llm: getTableColumns(llmReactions),
}
const withoutText = { ...listed, state: listedState, llm: listedLlm }

/**
 * The strategies of all users, reactions included; each method is about those of one type. What belongs to
 * another user, or is of another type, is not found.
 */
export class Strategies {
  #database: Database
  #limits: UserLimits
  #syntax: StrategiesParts['syntax']
  #exchangeExists: StrategiesParts['exchangeExists']
  #onChange: StrategiesParts['onChange']
  #onSchedule: StrategiesParts['onSchedule']

  constructor(parts: StrategiesParts) {
    this.#database = parts.database
    this.#limits = parts.limits
    this.#syntax = parts.syntax
    this.#exchangeExists = parts.exchangeExists
    this.#onChange = parts.onChange
    this.#onSchedule = parts.onSchedule
  }

  async create(userId: number, type: StrategyType, asked: StrategySettings): Promise<Strategy> {
    const wish = await this.#check(userId, { code: '', ...asked })
    const id = await this.#database.db.transaction(async (tx) => {
      await this.#limits.demandRoom(tx, userId, 'strategies')
      await holdNamed(tx, userId, type, wish)
      const { llm, ...fields } = { ...defaults[type], ...wish }
      const id = await insert(tx, { name: '', code: '', ...fields, userId, type })
      if (llm !== undefined) await addLlmSettings(tx, id, llm)
      return id
    })
    return this.get(userId, type, id)
  }

  /**
   * Makes another with all that its owner has decided: switched off, not public, and with nothing of what its runs
   * have left. A copy of another user's public strategy is in no folder and knows no webhook.
   */
  async duplicate(userId: number, type: StrategyType, id: number): Promise<Strategy> {
    const copyId = await this.#database.db.transaction(async (tx) => {
      // Before the original: its webhook may be another user's, who takes the leave for both away or for none.
      await this.#limits.demandRoom(tx, userId, 'strategies')
      // While the original stays as it is, nobody can delete the folder and the webhook that both are to have.
      const [original] = await tx
        .select()
        .from(strategies)
        .where(or(own(userId, type, id), publicOne(type, id)))
        .for('share')
      if (original === undefined) throw missing(type, id)
      const { id: _id, status, isPublic, version, createdAt, updatedAt, ...decided } = original
      const places =
        original.userId === userId ? {} : { folderId: null, webhookId: null, dataWebhookId: null }
      const copyId = await insert(tx, { ...decided, ...places, userId, name: copyName(original.name) })
      if (type === 'llm-reaction') await copyLlmSettings(tx, id, copyId, original.userId === userId)
      return copyId
    })
    return this.get(userId, type, copyId)
  }

  async get(userId: number, type: StrategyType, id: number): Promise<Strategy> {
    const [strategy] = await this.#database.db
      .select(whole)
      .from(strategies)
      .innerJoin(strategyState, eq(strategyState.strategyId, strategies.id))
      .leftJoin(llmReactions, eq(llmReactions.strategyId, strategies.id))
      .where(own(userId, type, id))
    if (strategy === undefined) throw missing(type, id)
    return strategy
  }

  /** @throws {AppError} 404 when there is no such strategy of this user */
  async need(userId: number, type: StrategyType, id: number): Promise<void> {
    const found = await this.#database.db.$count(strategies, own(userId, type, id))
    if (found === 0) throw missing(type, id)
  }

  /** In order of id. */
  list(
    userId: number,
    type: StrategyType,
    window: { limit: number; offset: number },
    filter: StrategyFilter = {},
  ): Promise<ListedStrategy[]> {
    return this.#database.db
      .select(withoutText)
      .from(strategies)
      .innerJoin(strategyState, eq(strategyState.strategyId, strategies.id))
      .leftJoin(llmReactions, eq(llmReactions.strategyId, strategies.id))
      .where(matching(userId, type, filter))
      .orderBy(asc(strategies.id))
      .limit(window.limit)
      .offset(window.offset)
  }

  count(userId: number, type: StrategyType, filter: StrategyFilter = {}): Promise<number> {
    return this.#database.db.$count(strategies, matching(userId, type, filter))
  }

  async change(userId: number, type: StrategyType, id: number, asked: StrategySettings): Promise<Strategy> {
    const wish = await this.#check(userId, asked)
    const isRescheduled = await this.#database.db.transaction(async (tx) => {
      await holdNamed(tx, userId, type, wish)
      const before = await hold(tx, userId, type, id)
      const { llm, ...fields } = wish
      const after = await update(tx, id, fields)
      if (llm !== undefined) await changeLlmSettings(tx, id, llm)
      await demandRunnable(tx, after, 'body.')
      const other = await follow(tx, id, scheduleOf(before), scheduleOf(after))
      return other || !isDeepStrictEqual(tickMarket(before), tickMarket(after))
    })
    return this.#changed(userId, type, id, isRescheduled)
  }

  /** `ACTIVE` ends a suspension too, but keeps the count of violations. */
  async setStatus(
    userId: number,
    type: StrategyType,
    id: number,
    status: 'ACTIVE' | 'INACTIVE',
  ): Promise<Strategy> {
    const isRescheduled = await this.#database.db.transaction(async (tx) => {
      const before = await hold(tx, userId, type, id)
      const after = await update(tx, id, { status })
      await demandRunnable(tx, after)
      const resumes = status === 'ACTIVE' && isSuspended(before.state, new Date())
      if (status === 'ACTIVE') {
        await tx.update(strategyState).set({ suspendedUntil: null }).where(eq(strategyState.strategyId, id))
      }
      return follow(tx, id, resumes ? null : scheduleOf(before), scheduleOf(after))
    })
    return this.#changed(userId, type, id, isRescheduled)
  }

  /** Forgets the last trigger, the stored value, the last words of a model, or several of these. */
  async reset(userId: number, type: StrategyType, id: number, what: Reset): Promise<void> {
    await this.#database.db.transaction(async (tx) => {
      const found = await tx
        .update(strategies)
        .set(anew)
        .where(own(userId, type, id))
        .returning({ id: strategies.id })
      if (found.length === 0) throw missing(type, id)
      await tx
        .update(strategyState)
        .set({
          ...(what.triggers ? { lastAction: null, lastPrice: null, lastActionAt: null } : {}),
          ...(what.storage ? { storage: null } : {}),
          // Drizzle wants at least one column, and a reset of nothing is no error.
          strategyId: id,
        })
        .where(eq(strategyState.strategyId, id))
      if (what.response) await forgetResponse(tx, id)
    })
    await this.#onChange(id)
  }

  async delete(userId: number, type: StrategyType, id: number): Promise<void> {
    const gone = await this.#database.db.transaction(async (tx) => {
      const [gone] = await tx
        .delete(strategies)
        .where(own(userId, type, id))
        .returning(listed)
      if (gone === undefined) throw missing(type, id)
      await tx.delete(runs).where(eq(runs.strategyId, id))
      // After its runs: nobody writes a transcript of a run that is gone.
      await tx.delete(runTranscripts).where(eq(runTranscripts.strategyId, id))
      return gone
    })
    if (scheduleOf(gone) !== null) this.#onSchedule()
    await this.#onChange(id)
  }

  /**
   * What `$.Strategy.stop` does: its own strategy, whoever owns it and whatever its type.
   * @param onStopped may write what is to be durable along with it
   */
  async deactivate(
    id: number,
    onStopped?: (tx: Db, strategy: { id: number; userId: number; name: string }) => Promise<void>,
  ): Promise<void> {
    const stopped = await this.#database.db.transaction(async (tx) => {
      const [stopped] = await tx
        .update(strategies)
        .set({ status: 'INACTIVE', ...anew, updatedAt: sql`now()` })
        .where(eq(strategies.id, id))
        .returning({
          id: strategies.id,
          userId: strategies.userId,
          name: strategies.name,
          cronInterval: strategies.cronInterval,
        })
      if (stopped?.cronInterval) await setSchedule(tx, id, null, Date.now())
      if (stopped !== undefined) await onStopped?.(tx, stopped)
      return stopped
    })
    if (stopped?.cronInterval) this.#onSchedule()
    await this.#onChange(id)
  }

  async #changed(userId: number, type: StrategyType, id: number, isRescheduled: boolean): Promise<Strategy> {
    if (isRescheduled) this.#onSchedule()
    await this.#onChange(id)
    return this.get(userId, type, id)
  }

  /** @returns the wish as it is stored */
  async #check(userId: number, wish: StrategySettings): Promise<StrategySettings> {
    checkSchedule(wish)
    const { exchangeId, cronInterval } = wish
    if (typeof exchangeId === 'number' && !this.#exchangeExists(exchangeId)) {
      throw invalidField('exchange_id', `names no exchange of the catalogue: ${exchangeId}`)
    }
    if (wish.code !== undefined) await checkCode(wish.code, userId, this.#syntax)
    if (wish.llm?.prompt !== undefined) checkPrompt(wish.llm.prompt)
    return cronInterval === undefined ? wish : { ...wish, cronInterval: normalInterval(cronInterval) }
  }
}

function own(userId: number, type: StrategyType, id: number): SQL | undefined {
  return and(eq(strategies.id, id), eq(strategies.userId, userId), eq(strategies.type, type))
}

function matching(
  userId: number,
  type: StrategyType,
  { dataWebhookId, folderId }: StrategyFilter,
): SQL | undefined {
  const inFolder = folderId === null ? isNull(strategies.folderId) : eq(strategies.folderId, folderId ?? 0)
  return and(
    eq(strategies.userId, userId),
    eq(strategies.type, type),
    dataWebhookId === undefined ? undefined : eq(strategies.dataWebhookId, dataWebhookId),
    folderId === undefined ? undefined : inFolder,
  )
}

function missing(type: StrategyType, id: number): Error {
  return notFound(typeName(type), id)
}

/** Reads a strategy that nobody else changes until the transaction has ended. */
async function hold(tx: Db, userId: number, type: StrategyType, id: number): Promise<ListedStrategy> {
  const [strategy] = await tx
    .select(withoutText)
    .from(strategies)
    .innerJoin(strategyState, eq(strategyState.strategyId, strategies.id))
    .leftJoin(llmReactions, eq(llmReactions.strategyId, strategies.id))
    .where(own(userId, type, id))
    // What runs change is in the other table, and goes on.
    .for('no key update', { of: strategies })
  if (strategy === undefined) throw missing(type, id)
  return strategy
}

async function insert(tx: Db, values: typeof strategies.$inferInsert): Promise<number> {
  const [row] = await tx.insert(strategies).values(values).returning({ id: strategies.id })
  await tx.insert(strategyState).values({ strategyId: row!.id })
  return row!.id
}

async function update(tx: Db, id: number, values: Partial<typeof strategies.$inferInsert>) {
  const [row] = await tx
    .update(strategies)
    .set({ ...values, ...anew, updatedAt: sql`now()` })
    .where(eq(strategies.id, id))
    .returning(listed)
  return row!
}

/** @param where the fields are in the request; @throws {AppError} 400 when an active strategy could not run */
async function demandRunnable(
  tx: Db,
  after: Pick<Strategy, 'id' | 'type' | 'status'> & Parameters<typeof checkTickMarket>[0],
  where = '',
): Promise<void> {
  checkTickMarket(after, where)
  if (after.type === 'llm-reaction' && after.status === 'ACTIVE') await demandQuestion(tx, after.id, where)
}

/** Holds what a strategy is to name in place until it does. */
async function holdNamed(tx: Db, userId: number, type: StrategyType, wish: StrategySettings): Promise<void> {
  await holdWebhooks(tx, userId, wish)
  if (wish.llm !== undefined) await holdAiConnection(tx, userId, wish.llm)
  await holdFolder(tx, userId, wish.folderId, type)
}

/** Holds the webhooks that a strategy is to name in place until it does. */
async function holdWebhooks(tx: Db, userId: number, wish: StrategySettings): Promise<void> {
  const { dataWebhookId, webhookId } = wish
  const may = (kind: 'data' | 'bot', id: number) => holdUsableWebhook(tx, kind, userId, id)
  if (typeof dataWebhookId === 'number' && !(await may('data', dataWebhookId))) {
    const what = 'names no data webhook that is yours or shared with you'
    throw invalidField('data_webhook_id', `${what}: ${dataWebhookId}`)
  }
  if (typeof webhookId === 'number' && !(await may('bot', webhookId))) {
    throw invalidField('webhook_id', `names no bot webhook that is yours or shared with you: ${webhookId}`)
  }
}

/** Lets the schedule begin anew, from now, if it is another. @returns whether it is */
async function follow(tx: Db, id: number, was: Schedule | null, is: Schedule | null): Promise<boolean> {
  if (isDeepStrictEqual(was, is)) return false
  await setSchedule(tx, id, is, Date.now())
  return true
}

/** Of at most 255 characters, as names are. */
function copyName(name: string): string {
  const suffix = ' (copy)'
  return [...name].slice(0, 255 - suffix.length).join('') + suffix
}
