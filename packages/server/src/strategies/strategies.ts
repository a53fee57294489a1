import { isDeepStrictEqual } from 'node:util'
import { type SyntaxChecker, serviceWaitMs } from '@tickwright/sandbox'
import { and, asc, eq, isNull, or, type SQL } from 'drizzle-orm'
import { copyName } from '../base/copy-name.ts'
import { invalidField } from '../base/errors.ts'
import { commitOnce } from '../db/commit-once.ts'
import type { Database, Db } from '../db/database.ts'
import { ofOne, type Slots } from '../db/reads.ts'
import {
  llmSettings,
  runs,
  runTranscripts,
  type StrategyType,
  schedules,
  strategies,
  strategyState,
} from '../db/schema.ts'
import { asksModel } from '../db/strategy-types.ts'
import { newVersion } from '../db/strategy-versions.ts'
import { untilReachable } from '../db/until-reachable.ts'
import type { UserLimits } from '../db/user-limits.ts'
import { checkSchedule, normalInterval, type Schedule } from '../schedules/cron-interval.ts'
import { setSchedule } from '../schedules/schedules.ts'
import { checkCode } from './code-check.ts'
import type { Reset } from './kinds.ts'
import {
  addLlmSettings,
  changeLlmSettings,
  checkPrompt,
  copyLlmSettings,
  forgetResponse,
} from './llm-settings.ts'
import { publicOne } from './public-strategies.ts'
import { hold, insert, listed, missing, type Own, own, update, whole, withoutText } from './rows.ts'
import { demandRunnable, holdNamed } from './save-checks.ts'
import { byService, type Save } from './saves.ts'
import { demandClock, scheduleOf, tickMarket } from './schedule.ts'
import { isSuspended } from './status.ts'
import type { ListedStrategy, Strategy, StrategySettings } from './strategy.ts'
import { demandMatch } from './version-conflicts.ts'
import { keepVersion } from './version-rows.ts'

/** A filter of lists. `folderId: null` selects the strategies that are in no folder. */
export type StrategyFilter = { dataWebhookId?: number; folderId?: number | null }

export type StrategiesParts = {
  database: Database
  limits: UserLimits
  syntax: Pick<SyntaxChecker, 'check'>
  exchangeExists(id: number): boolean
  /** Knows which strategy sent the current request. */
  requests: { readonly current: number | null }
  /** Called after every change, so that the next run sees it. */
  onChange(strategyId: number): Promise<void>
  /** Called when the schedule or the price trigger of a strategy has changed. */
  onSchedule(): void
}

/** A save whose transaction may not have been committed yet. */
export type Saved = { id: number; isRescheduled: boolean }

const stopPatience = { mostMs: serviceWaitMs }

/** The settings of a new strategy that its owner has not chosen. */
const defaults: Record<StrategyType, StrategySettings> = {
  'code-strategy': { cronInterval: '1M', timezone: 'UTC' },
  'code-reaction': {},
  'llm-reaction': { llm: {} },
  // Each run costs money, so this one is rare.
  'llm-session': { cronInterval: '1H', timezone: 'UTC', llm: {} },
}

/**
 * The strategies of all users, including reactions. Most methods are about one type: a strategy of another user or
 * another type counts as missing.
 */
export class Strategies {
  #database: Database
  #limits: UserLimits
  #syntax: StrategiesParts['syntax']
  #exchangeExists: StrategiesParts['exchangeExists']
  #requests: StrategiesParts['requests']
  #onChange: StrategiesParts['onChange']
  #onSchedule: StrategiesParts['onSchedule']

  constructor(parts: StrategiesParts) {
    this.#database = parts.database
    this.#limits = parts.limits
    this.#syntax = parts.syntax
    this.#exchangeExists = parts.exchangeExists
    this.#requests = parts.requests
    this.#onChange = parts.onChange
    this.#onSchedule = parts.onSchedule
  }

  async create(
    userId: number,
    type: StrategyType,
    given: StrategySettings,
    save: Save = byService,
  ): Promise<Strategy> {
    const settings = await this.check(userId, type, given)
    const id = await this.#database.db.transaction((tx) => this.createIn(tx, userId, type, settings, save))
    await this.tell({ id, isRescheduled: false })
    return this.get(userId, type, id)
  }

  /**
   * Creates a strategy as a part of a transaction, which has locked nothing but the account before.
   * @param settings have passed `check`
   * @returns its id, for `tell`, after the commit; it is `INACTIVE`
   */
  async createIn(
    tx: Db,
    userId: number,
    type: StrategyType,
    settings: StrategySettings,
    save: Save,
  ): Promise<number> {
    await this.#limits.demandRoom(tx, userId, 'strategies')
    await holdNamed(tx, userId, type, settings)
    const { llm, ...fields } = { ...defaults[type], ...settings }
    const id = await insert(tx, { name: '', code: '', ...fields, userId, type })
    if (llm !== undefined) await addLlmSettings(tx, id, llm)
    await this.#keepVersion(tx, id, save)
    return id
  }

  /**
   * Copies the settings of a strategy. The copy is inactive and private, without runs and state. A copy of another
   * user's public strategy has no folder and no webhooks.
   */
  async duplicate(userId: number, type: StrategyType, id: number, save: Save = byService): Promise<Strategy> {
    const copyId = await this.#database.db.transaction(async (tx) => {
      // Locks the account before the original, as revoking a share does. So if the owner of a shared webhook revokes it
      // now, the original and the copy both keep the webhook or both lose it.
      await this.#limits.demandRoom(tx, userId, 'strategies')
      // While the original is locked, nobody can delete the folder and the webhooks that the copy refers to.
      const [original] = await tx
        .select()
        .from(strategies)
        .where(or(own({ userId, type, id }), publicOne(type, id)))
        .for('share')
      if (original === undefined) throw missing(type, id)
      const { id: _id, status, isPublic, version, createdAt, updatedAt, ...settings } = original
      const places =
        original.userId === userId ? {} : { folderId: null, webhookId: null, dataWebhookId: null }
      const copyId = await insert(tx, { ...settings, ...places, userId, name: copyName(original.name) })
      if (asksModel(type)) await copyLlmSettings(tx, id, copyId, original.userId === userId)
      await this.#keepVersion(tx, copyId, save)
      return copyId
    })
    await this.tell({ id: copyId, isRescheduled: false })
    return this.get(userId, type, copyId)
  }

  async get(userId: number, type: StrategyType, id: number): Promise<Strategy> {
    const { db, read } = this.#database
    const [strategy] = await read('strategy', { userId, type, id }, (slots) =>
      db
        .select(whole)
        .from(strategies)
        .innerJoin(strategyState, eq(strategyState.strategyId, strategies.id))
        .leftJoin(llmSettings, eq(llmSettings.strategyId, strategies.id))
        .leftJoin(schedules, eq(schedules.strategyId, strategies.id))
        .where(own(slots)),
    )
    if (strategy === undefined) throw missing(type, id)
    return strategy
  }

  /** @throws {AppError} 404 if the user has no such strategy */
  async need(userId: number, type: StrategyType, id: number): Promise<void> {
    const found = await this.#database.count(strategies, { userId, type, id }, own)
    if (found === 0) throw missing(type, id)
  }

  /** In order of id. */
  list(
    userId: number,
    type: StrategyType,
    window: { limit: number; offset: number },
    filter: StrategyFilter = {},
  ): Promise<ListedStrategy[]> {
    const { db, read } = this.#database
    return read(
      'strategies',
      { userId, type, ...window },
      (slots, filter) =>
        db
          .select(withoutText)
          .from(strategies)
          .innerJoin(strategyState, eq(strategyState.strategyId, strategies.id))
          .leftJoin(llmSettings, eq(llmSettings.strategyId, strategies.id))
          .leftJoin(schedules, eq(schedules.strategyId, strategies.id))
          .where(matching(slots, filter))
          .orderBy(asc(strategies.userId), asc(strategies.id))
          .limit(slots.limit)
          .offset(slots.offset),
      filter,
    )
  }

  count(userId: number, type: StrategyType, filter: StrategyFilter = {}): Promise<number> {
    return this.#database.count(strategies, { userId, type }, matching, filter)
  }

  /** @throws {AppError} 409 if `save` has a condition that the strategy no longer meets, with what has changed */
  async change(
    userId: number,
    type: StrategyType,
    id: number,
    given: StrategySettings,
    save: Save = byService,
  ): Promise<Strategy> {
    const changes = await this.check(userId, type, given)
    const saved = await this.#database.db.transaction((tx) =>
      this.changeIn(tx, { userId, type, id }, changes, save),
    )
    await this.tell(saved)
    return this.get(userId, type, id)
  }

  /**
   * Changes a strategy as a part of a transaction.
   * @param changes have passed `check`
   * @returns for `tell`, after the commit
   */
  async changeIn(tx: Db, { userId, type, id }: Own, changes: StrategySettings, save: Save): Promise<Saved> {
    await holdNamed(tx, userId, type, changes)
    const before = await hold(tx, userId, type, id)
    if (save.ifMatch !== undefined) await demandMatch(tx, id, save.ifMatch)
    const { llm, ...fields } = changes
    const after = (await update(tx, id, fields))!
    if (llm !== undefined) await changeLlmSettings(tx, id, llm)
    await demandRunnable(tx, after, 'body.')
    await this.#keepVersion(tx, id, save)
    const isOther = await reschedule(tx, id, scheduleOf(before), scheduleOf(after))
    return { id, isRescheduled: isOther || !isDeepStrictEqual(tickMarket(before), tickMarket(after)) }
  }

  /** `ACTIVE` also ends a suspension, but keeps the count of violations. */
  async setStatus(
    userId: number,
    type: StrategyType,
    id: number,
    status: 'ACTIVE' | 'INACTIVE',
  ): Promise<Strategy> {
    const saved = await this.#database.db.transaction((tx) =>
      this.setStatusIn(tx, { userId, type, id }, status),
    )
    await this.tell(saved)
    return this.get(userId, type, id)
  }

  /** Sets the status as a part of a transaction. Returns what `changeIn` does. */
  async setStatusIn(
    tx: Db,
    { userId, type, id }: Own,
    status: 'ACTIVE' | 'INACTIVE',
    { ifMatch }: Pick<Save, 'ifMatch'> = {},
  ): Promise<Saved> {
    const before = await hold(tx, userId, type, id)
    if (ifMatch !== undefined) await demandMatch(tx, id, ifMatch)
    const after = (await update(tx, id, { status }))!
    await demandRunnable(tx, after)
    const resumes = status === 'ACTIVE' && isSuspended(before.state, new Date())
    if (status === 'ACTIVE') {
      await tx.update(strategyState).set({ suspendedUntil: null }).where(eq(strategyState.strategyId, id))
    }
    const isRescheduled = await reschedule(tx, id, resumes ? null : scheduleOf(before), scheduleOf(after))
    return { id, isRescheduled }
  }

  /** Deletes the last trigger, the stored value, the last reply of a model, or several of these. */
  async reset(userId: number, type: StrategyType, id: number, what: Reset): Promise<void> {
    await this.#database.db.transaction(async (tx) => {
      const found = await tx
        .update(strategies)
        .set(newVersion)
        .where(own({ userId, type, id }))
        .returning({ id: strategies.id })
      if (found.length === 0) throw missing(type, id)
      await tx
        .update(strategyState)
        .set({
          ...(what.triggers ? { lastAction: null, lastPrice: null, lastActionAt: null } : {}),
          ...(what.storage ? { storage: null } : {}),
          // Drizzle needs at least one column, and an empty reset is no error.
          strategyId: id,
        })
        .where(eq(strategyState.strategyId, id))
      if (what.response) await forgetResponse(tx, id)
    })
    await this.#onChange(id)
  }

  async delete(userId: number, type: StrategyType, id: number): Promise<void> {
    const tell = await this.#database.db.transaction(async (tx) => {
      const tell = await this.deleteIn(tx, { userId, type, id })
      await this.deleteRuns(id, tx)
      return tell
    })
    await tell()
  }

  /**
   * Deletes a strategy without its runs as a part of a transaction.
   * @returns what to do after the commit
   */
  async deleteIn(tx: Db, { userId, type, id }: Own): Promise<() => Promise<void>> {
    const [deleted] = await tx.delete(strategies).where(own({ userId, type, id })).returning(listed)
    if (deleted === undefined) throw missing(type, id)
    return async () => {
      if (scheduleOf(deleted) !== null) this.#onSchedule()
      await this.#onChange(id)
    }
  }

  /** Deletes the runs of a strategy that is deleted. Nobody can see them any more. */
  async deleteRuns(id: number, db: Db = this.#database.db): Promise<void> {
    await db.delete(runs).where(eq(runs.strategyId, id))
    // After its runs, because nobody writes a transcript of a run that is deleted.
    await db.delete(runTranscripts).where(eq(runTranscripts.strategyId, id))
  }

  /**
   * Deactivates a strategy for `$.Strategy.stop`, whatever its owner and its type: once, although the database may go away
   * meanwhile. Waits for it as long as a run does.
   * @param onStopped can write in the same transaction, and refuses by throwing; each attempt calls it
   */
  async deactivate(
    id: number,
    onStopped?: (tx: Db, strategy: { id: number; userId: number; name: string }) => Promise<void>,
  ): Promise<void> {
    const stop = async (tx: Db) => {
      const row = await update(tx, id, { status: 'INACTIVE' })
      if (row?.cronInterval) await setSchedule(tx, id, null, Date.now())
      if (row !== undefined) await onStopped?.(tx, row)
      return row
    }
    const stopped = await commitOnce(this.#database.db, stop, stopPatience)
    if (stopped?.cronInterval) this.#onSchedule()
    await untilReachable(() => this.#onChange(id), stopPatience)
  }

  #keepVersion(tx: Db, id: number, save: Save): Promise<void> {
    return keepVersion(tx, id, { ...save, byStrategyId: save.byStrategyId ?? this.#requests.current })
  }

  /** After the commit of a save, the next run sees it. */
  async tell({ id, isRescheduled }: Saved): Promise<void> {
    if (isRescheduled) this.#onSchedule()
    await this.#onChange(id)
  }

  /**
   * Checks settings as far as that takes no transaction.
   * @returns the settings as they are stored
   * @throws {AppError} 400 if they cannot be saved
   */
  async check(userId: number, type: StrategyType, settings: StrategySettings): Promise<StrategySettings> {
    checkSchedule(settings)
    if (asksModel(type)) {
      demandClock(settings)
      if (settings.llm?.prompt !== undefined) checkPrompt(settings.llm.prompt, type)
    }
    const { exchangeId, cronInterval } = settings
    if (typeof exchangeId === 'number' && !this.#exchangeExists(exchangeId)) {
      throw invalidField(
        'exchange_id',
        `must be the id of an exchange in the catalogue; ${exchangeId} is not`,
      )
    }
    if (settings.code !== undefined) await checkCode(settings.code, userId, this.#syntax)
    return cronInterval === undefined ? settings : { ...settings, cronInterval: normalInterval(cronInterval) }
  }
}

function matching({ userId, type }: Slots<Omit<Own, 'id'>>, filter: Slots<StrategyFilter>): SQL | undefined {
  const { dataWebhookId, folderId } = filter
  const inFolder = folderId === null ? isNull(strategies.folderId) : eq(strategies.folderId, folderId ?? 0)
  return and(
    ofOne(strategies.userId, userId, filter),
    eq(strategies.type, type),
    dataWebhookId === undefined ? undefined : eq(strategies.dataWebhookId, dataWebhookId),
    folderId === undefined ? undefined : inFolder,
  )
}

/** Starts a changed schedule from now. Resolves to whether it changed. */
async function reschedule(
  tx: Db,
  id: number,
  before: Schedule | null,
  after: Schedule | null,
): Promise<boolean> {
  if (isDeepStrictEqual(before, after)) return false
  await setSchedule(tx, id, after, Date.now())
  return true
}
