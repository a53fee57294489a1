import { and, eq, inArray, sql } from 'drizzle-orm'
import type { WantedChange } from '../ai/strategy-tools.ts'
import { AppError, notFound } from '../base/errors.ts'
import type { Database, Db } from '../db/database.ts'
import { bots, folders, type StrategyChange, strategies, strategyVersions, variables } from '../db/schema.ts'
import type { ChangeOrder, KnownStrategy, MadeChange, StrategyChanges } from '../runs/strategy-changes.ts'
import { tagOf } from './settings-tag.ts'
import { currentStatus } from './status.ts'
import type { Strategies } from './strategies.ts'
import { unifiedDiff } from './version-content.ts'

/** The types that a model may change. It must not reach another model, whose tools and limits it could then use. */
export const changeableTypes = ['code-strategy', 'code-reaction'] as const
type ChangeableType = (typeof changeableTypes)[number]

/** Of all the problems of some code, a model sees so many. */
const mostProblems = 5

type Saves = Pick<Strategies, 'get' | 'check' | 'changeIn' | 'setStatusIn' | 'tell'>

/** Changes of code strategies and code reactions by models, with all checks of a save by their owner. */
export class ModelChanges implements StrategyChanges {
  #database: Database
  #strategies: Saves

  constructor(database: Database, strategies: Saves) {
    this.#database = database
    this.#strategies = strategies
  }

  async read(userId: number, id: number): Promise<KnownStrategy | undefined> {
    const type = await typeOf(this.#database.db, userId, id)
    if (type === undefined) return undefined
    const strategy = await this.#strategies.get(userId, type, id)
    const { name, savedVersion: version, code } = strategy
    const status = currentStatus(strategy, new Date())
    return { id, name, type, status, version, code, etag: tagOf(strategy) }
  }

  async problemWith(
    userId: number,
    strategy: KnownStrategy,
    wanted: WantedChange,
  ): Promise<string | undefined> {
    if (wanted.kind === 'status') {
      return strategy.status === wanted.status ? `Strategy ${strategy.id} is ${wanted.status}.` : undefined
    }
    const { code } = wanted
    if (code === strategy.code) return `Strategy ${strategy.id} has this code.`
    if (code.includes('\0') || !code.isWellFormed()) return 'The code has a character that no text can store.'
    try {
      await this.#strategies.check(userId, strategy.type as ChangeableType, { code })
      return undefined
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const further = (error.details ?? []).slice(1, mostProblems)
      const places = further.map(({ line, column, message }) => `Line ${line}, column ${column}: ${message}`)
      return [error.message, ...places].join(' ')
    }
  }

  /**
   * Whether live bots follow the strategy, every user can read its new code, or that code could read a variable: a key in
   * one could sign requests that change anything, also the limits of the model.
   */
  async needsPerson(tx: Db, userId: number, targetId: number, wanted: WantedChange): Promise<boolean> {
    if (wanted.kind === 'status' && wanted.status === 'INACTIVE') return false
    const isTarget = and(eq(strategies.id, targetId), eq(strategies.userId, userId))
    const live = await tx
      .select({ id: bots.id })
      .from(strategies)
      .innerJoin(bots, and(eq(bots.webhookId, strategies.webhookId), eq(bots.mode, 'live')))
      .where(isTarget)
      .limit(1)
    if (live.length > 0) return true
    if (wanted.kind === 'status') return false
    if ((await tx.$count(strategies, and(isTarget, strategies.isPublic))) > 0) return true
    const readable = await tx
      .select({ id: variables.id })
      .from(strategies)
      .leftJoin(folders, eq(folders.id, strategies.folderId))
      .innerJoin(
        variables,
        and(
          eq(variables.userId, strategies.userId),
          sql`(${variables.folderId} is null or ${variables.folderId} = any(${folders.ancestors} || ${folders.id}))`,
        ),
      )
      .where(isTarget)
      .limit(1)
    return readable.length > 0
  }

  async check(userId: number, targetId: number, change: StrategyChange): Promise<void> {
    const type = await typeOf(this.#database.db, userId, targetId)
    if (type === undefined) throw notFound('strategy', targetId)
    if (change.kind === 'code') await this.#strategies.check(userId, type, { code: change.code })
  }

  async makeIn(tx: Db, { userId, byId, targetId: id, change, reason }: ChangeOrder): Promise<MadeChange> {
    const type = await typeOf(tx, userId, id)
    if (type === undefined) throw notFound('strategy', id)
    const target = { userId, type, id }
    const save = { via: 'service', apiKeyId: null, byStrategyId: byId, reason } as const
    const ifMatch = { tags: [change.etag] }
    try {
      const saved =
        change.kind === 'code'
          ? await this.#strategies.changeIn(tx, target, { code: change.code }, { ...save, ifMatch })
          : await this.#strategies.setStatusIn(tx, target, change.status, { ifMatch })
      return { told: () => this.#strategies.tell(saved) }
    } catch (error) {
      throw isOtherTag(error) ? outdated(id, change.version, error) : error
    }
  }

  /** Whether the strategy was saved since the model knew it, or is gone: then the change can no longer be made. */
  async isOutdated(userId: number, targetId: number, change: StrategyChange): Promise<boolean> {
    return (await this.read(userId, targetId))?.etag !== change.etag
  }

  /** The change of code as a unified diff from the version that the model knew; `null` for a change of the status. */
  async diffOf(targetId: number, change: StrategyChange): Promise<{ text: string; whole: boolean } | null> {
    if (change.kind !== 'code') return null
    const { version } = change
    const [before] = await this.#database.db
      .select({ version: strategyVersions.version, text: strategyVersions.text })
      .from(strategyVersions)
      .where(and(eq(strategyVersions.strategyId, targetId), eq(strategyVersions.version, version)))
    return unifiedDiff(before ?? { version, text: '' }, { version: version + 1, text: change.code })
  }
}

function isOtherTag(error: unknown): error is AppError {
  return error instanceof AppError && error.details?.[0]?.field === 'headers.if-match'
}

function outdated(id: number, known: number, cause: AppError): AppError {
  const current = cause.details?.[0]?.version
  const since =
    current === known
      ? 'Its name, folder or visibility is another one now.'
      : `Its version is ${current} now.`
  return new AppError(
    'resource_conflict',
    `The change cannot be made: strategy ${id} was saved since the model knew it, in version ${known}. ${since}`,
    { cause },
  )
}

async function typeOf(db: Db, userId: number, id: number): Promise<ChangeableType | undefined> {
  const [found] = await db
    .select({ type: strategies.type })
    .from(strategies)
    .where(
      and(
        eq(strategies.id, id),
        eq(strategies.userId, userId),
        inArray(strategies.type, [...changeableTypes]),
      ),
    )
  return found?.type as ChangeableType | undefined
}
