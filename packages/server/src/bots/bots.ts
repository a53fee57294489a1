import { and, asc, eq, type SQL, sql } from 'drizzle-orm'
import { AppError, notFound } from '../base/errors.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { lockAccount } from '../db/account-lock.ts'
import type { Database, Db } from '../db/database.ts'
import { botSignals, bots, equity } from '../db/schema.ts'
import type { UserLimits } from '../db/user-limits.ts'
import type { Bot, BotStatus, BotWish, NewBot } from './bot.ts'
import { demandNothingHeld, type Holdings, hasTraded, holdingsOf } from './holdings.ts'
import { checkActivation, checkExchange, checkMode, holdConnection, holdWebhook } from './places.ts'
import { defaultSettings } from './settings.ts'

export type BotsParts = {
  database: Database
  limits: UserLimits
  catalogue: Pick<Catalogue, 'find'>
  /** Whether bots of this installation may send orders to exchanges at this moment. */
  isLiveAllowed(): boolean
}

/** What a list of bots is narrowed by. */
export type BotFilter = { webhookId?: number }

/** The bots of all users. What belongs to another user is not found. */
export class Bots {
  #parts: BotsParts

  constructor(parts: BotsParts) {
    this.#parts = parts
  }

  /** It starts switched off. */
  async create(userId: number, { settings, ...wish }: NewBot): Promise<Bot> {
    checkExchange(this.#parts.catalogue, wish.exchangeId)
    const bot = await this.#db.transaction(async (tx) => {
      await this.#parts.limits.demandRoom(tx, userId, 'bots')
      const place = { mode: 'paper' as const, connectionId: null, ...wish }
      checkMode(this.#parts.catalogue, place)
      await holdWebhook(tx, userId, wish.webhookId)
      await holdConnection(tx, userId, place)
      return insert(tx, { name: '', ...wish, userId, settings: { ...defaultSettings, ...settings } })
    })
    return bot
  }

  /** Makes another with all that its owner has decided: switched off, and with books of its own. */
  async duplicate(userId: number, id: number): Promise<Bot> {
    const copy = await this.#db.transaction(async (tx) => {
      // Before the original: its webhook may be another user's, who takes the leave for both away or for none.
      await this.#parts.limits.demandRoom(tx, userId, 'bots')
      // While the original stays as it is, nobody can delete the webhook and the connection that both are to have.
      const [original] = await tx.select().from(bots).where(own(userId, id)).for('share')
      if (original === undefined) throw notFound('bot', id)
      const { id: _id, status, holder, version, createdAt, updatedAt, ...decided } = original
      return insert(tx, { ...decided, name: copyName(original.name) })
    })
    return copy
  }

  async get(userId: number, id: number): Promise<Bot> {
    const [bot] = await this.#db.select().from(bots).where(own(userId, id))
    if (bot === undefined) throw notFound('bot', id)
    return bot
  }

  /** @throws {AppError} 404 when there is no such bot of this user */
  async need(userId: number, id: number): Promise<void> {
    if ((await this.#db.$count(bots, own(userId, id))) === 0) throw notFound('bot', id)
  }

  /** In order of id. */
  list(userId: number, window: { limit: number; offset: number }, filter: BotFilter = {}): Promise<Bot[]> {
    return this.#db
      .select()
      .from(bots)
      .where(matching(userId, filter))
      .orderBy(asc(bots.id))
      .limit(window.limit)
      .offset(window.offset)
  }

  count(userId: number, filter: BotFilter = {}): Promise<number> {
    return this.#db.$count(bots, matching(userId, filter))
  }

  /** @throws {AppError} 409 for another account or exchange while the bot has anything on its hands */
  async change(userId: number, id: number, { settings, ...wish }: BotWish): Promise<Bot> {
    const bot = await this.#db.transaction(async (tx) => {
      await lockAccount(tx, userId)
      const before = await hold(tx, userId, id)
      const after = { ...before, ...wish, settings: { ...before.settings, ...settings } }
      await holdWebhook(tx, userId, wish.webhookId)
      if (moves(before, after)) await this.#checkMove(tx, before, after)
      await checkBooks(tx, before, after)
      return update(tx, id, { ...wish, settings: after.settings })
    })
    return bot
  }

  /**
   * Switching a bot off closes nothing.
   * @returns what it has on its hands
   * @throws {AppError} 409 or 403 when it is to be switched on and could not do its work
   */
  async setStatus(userId: number, id: number, status: BotStatus): Promise<Holdings> {
    const holdings = await this.#db.transaction(async (tx) => {
      const bot = await hold(tx, userId, id)
      if (status === 'ACTIVE') checkActivation(this.#parts, bot, await holdConnection(tx, userId, bot))
      await update(tx, id, { status })
      return holdingsOf(tx, id)
    })
    return holdings
  }

  /**
   * Its orders and fills stay; signals that wait for their turn are ignored.
   * @param abandonsPositions whether it is deleted although it holds positions: nothing is closed
   * @throws {AppError} 409 naming what it has on its hands
   */
  async delete(userId: number, id: number, abandonsPositions = false): Promise<void> {
    await this.#db.transaction(async (tx) => {
      await hold(tx, userId, id)
      await tx
        .update(botSignals)
        .set({
          status: 'IGNORED',
          reason: 'The bot was deleted before its turn came.',
          finishedAt: sql`now()`,
        })
        .where(and(eq(botSignals.botId, id), eq(botSignals.status, 'QUEUED')))
      const { positions, ...underWay } = await holdingsOf(tx, id)
      const holdings = { ...underWay, positions: abandonsPositions ? [] : positions }
      demandNothingHeld(holdings, 'resource_in_use', `Bot ${id} cannot be deleted`)
      await tx.delete(equity).where(eq(equity.botId, id))
      await tx.delete(bots).where(eq(bots.id, id))
    })
  }

  /** What a bot holds is on one exchange, in one account: it cannot leave it there and go. */
  async #checkMove(tx: Db, before: Bot, after: Bot): Promise<void> {
    const { catalogue } = this.#parts
    if (before.exchangeId !== after.exchangeId) checkExchange(catalogue, after.exchangeId)
    checkMode(catalogue, after)
    const connection = await holdConnection(tx, after.userId, after)
    const what = `Mode, exchange and connection of bot ${before.id} cannot be changed`
    demandNothingHeld(await holdingsOf(tx, before.id), 'resource_conflict', what)
    if (after.status === 'ACTIVE') checkActivation(this.#parts, after, connection)
  }

  get #db(): Db {
    return this.#parts.database.db
  }
}

function matching(userId: number, { webhookId }: BotFilter): SQL | undefined {
  return and(eq(bots.userId, userId), webhookId === undefined ? undefined : eq(bots.webhookId, webhookId))
}

function own(userId: number, id: number): SQL | undefined {
  return and(eq(bots.id, id), eq(bots.userId, userId))
}

/** Reads a bot that nobody else changes until the transaction has ended. */
async function hold(tx: Db, userId: number, id: number): Promise<Bot> {
  const [bot] = await tx.select().from(bots).where(own(userId, id)).for('update')
  if (bot === undefined) throw notFound('bot', id)
  return bot
}

async function insert(tx: Db, values: typeof bots.$inferInsert): Promise<Bot> {
  const [bot] = await tx.insert(bots).values(values).returning()
  return bot!
}

async function update(tx: Db, id: number, values: Partial<typeof bots.$inferInsert>): Promise<Bot> {
  const [bot] = await tx
    .update(bots)
    .set({ ...values, version: sql`${bots.version} + 1`, updatedAt: sql`now()` })
    .where(eq(bots.id, id))
    .returning()
  return bot!
}

function moves(before: Bot, after: Bot): boolean {
  return (
    before.mode !== after.mode ||
    before.exchangeId !== after.exchangeId ||
    before.connectionId !== after.connectionId
  )
}

/** Profit on paper and profit in money are never added up, and a balance never jumps for no fill. */
async function checkBooks(tx: Db, before: Bot, after: Bot): Promise<void> {
  const changed = [
    ...(before.mode === after.mode ? [] : ['mode']),
    ...(before.settings.startBalance === after.settings.startBalance ? [] : ['start_balance']),
  ]
  if (changed.length === 0 || !(await hasTraded(tx, before.id))) return
  const advice = 'make a duplicate, which begins with empty books'
  throw new AppError(
    'resource_conflict',
    `Bot ${before.id} has traded, and its ${changed.join(' and ')} cannot be changed any more: ${advice}.`,
    {
      details: changed.map((name) => ({
        field: `body.${name}`,
        message: 'is fixed once the bot has traded',
      })),
    },
  )
}

/** Of at most 255 characters, as names are. */
function copyName(name: string): string {
  const suffix = ' (copy)'
  return [...name].slice(0, 255 - suffix.length).join('') + suffix
}
