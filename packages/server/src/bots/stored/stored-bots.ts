import { and, asc, eq, isNull, ne, type SQL, sql } from 'drizzle-orm'
import { copyName } from '../../base/copy-name.ts'
import { AppError, invalidField, notFound } from '../../base/errors.ts'
import { nameOfSymbols } from '../../base/made-up-name.ts'
import type { Catalogue, CatalogueExchange } from '../../catalogue/catalogue.ts'
import { holdPredictionConnection } from '../../connections/prediction-connections.ts'
import { lockAccount } from '../../db/account-lock.ts'
import type { Database, Db } from '../../db/database.ts'
import { ofOne, type Slots } from '../../db/reads.ts'
import { storedBots } from '../../db/schema.ts'
import type { UserLimits } from '../../db/user-limits.ts'
import { holdFolder } from '../../folders/folders.ts'
import type { BotStatus } from '../bot.ts'
import { lockWebhook } from '../places.ts'
import { dexBots, type StoredBot, type StoredBotChanges, type StoredKind } from './kinds.ts'

export type StoredBotsParts = {
  database: Database
  limits: UserLimits
  catalogue: Pick<Catalogue, 'find'>
}

/** `folderId: null` selects the bots that are in no folder. */
export type StoredBotFilter = { webhookId?: number; connectionId?: number; folderId?: number | null }

type Place = Pick<StoredBot, 'exchangeId' | 'connectionId' | 'chainId' | 'address'>

/**
 * The bots of all users for which there is no venue yet: they are kept, and never on. A bot of another user counts as
 * missing, and so does one of another type.
 */
export class StoredBots {
  #parts: StoredBotsParts

  constructor(parts: StoredBotsParts) {
    this.#parts = parts
  }

  /** @throws {AppError} 400 for an invalid field, 409 for an address that has a bot, or over the limit */
  create(userId: number, kind: StoredKind, { settings, ...changes }: StoredBotChanges): Promise<StoredBot> {
    return this.#db.transaction(async (tx) => {
      await this.#parts.limits.demandRoom(tx, userId, 'bots')
      await lockWebhook(tx, userId, changes.webhookId)
      await holdFolder(tx, userId, changes.folderId, kind.type)
      const place = await this.#place(tx, userId, kind, changes)
      const decided = { ...kind.defaults, ...settings }
      const name = nameOfSymbols(decided.symbols)
      return insert(tx, { name, ...changes, ...place, userId, type: kind.type, settings: decided })
    })
  }

  /** Creates a bot with the same settings. */
  duplicate(userId: number, kind: StoredKind, id: number): Promise<StoredBot> {
    return this.#db.transaction(async (tx) => {
      await this.#parts.limits.demandRoom(tx, userId, 'bots')
      // While the original is locked, nobody can delete its webhook or its connection, which the copy gets too.
      const [original] = await tx
        .select()
        .from(storedBots)
        .where(own(userId, kind, id))
        .for('share')
      if (original === undefined) throw notFound(kind.one, id)
      const { id: _, createdAt, updatedAt, ...decided } = original
      return insert(tx, { ...decided, name: copyName(original.name) })
    })
  }

  async get(userId: number, kind: StoredKind, id: number): Promise<StoredBot> {
    const [bot] = await this.#db
      .select()
      .from(storedBots)
      .where(own(userId, kind, id))
    if (bot === undefined) throw notFound(kind.one, id)
    return bot
  }

  /** @throws {AppError} 404 if the user has no bot there */
  async getAt(userId: number, chainId: string, address: string): Promise<StoredBot> {
    const at = atAddress(userId, { chainId, address: spelt(address) })
    const [bot] = await this.#db.select().from(storedBots).where(at)
    if (bot === undefined) throw notFound(dexBots.one, `at ${address} on chain ${chainId}`)
    return bot
  }

  /** In order of id. */
  list(
    userId: number,
    kind: StoredKind,
    window: { limit: number; offset: number },
    filter: StoredBotFilter = {},
  ): Promise<StoredBot[]> {
    const { type } = kind
    return this.#parts.database.read(
      'stored bots',
      { userId, type, ...window },
      (slots, filter) =>
        this.#db
          .select()
          .from(storedBots)
          .where(matching(slots, filter))
          .orderBy(asc(storedBots.userId), asc(storedBots.type), asc(storedBots.id))
          .limit(slots.limit)
          .offset(slots.offset),
      filter,
    )
  }

  count(userId: number, { type }: StoredKind, filter: StoredBotFilter = {}): Promise<number> {
    return this.#parts.database.count(storedBots, { userId, type }, matching, filter)
  }

  /** @throws {AppError} 400 for an invalid field, 409 for an address that has a bot */
  change(
    userId: number,
    kind: StoredKind,
    id: number,
    { settings, ...changes }: StoredBotChanges,
  ): Promise<StoredBot> {
    return this.#db.transaction(async (tx) => {
      await lockAccount(tx, userId)
      const [before] = await tx
        .select()
        .from(storedBots)
        .where(own(userId, kind, id))
        .for('update')
      if (before === undefined) throw notFound(kind.one, id)
      await lockWebhook(tx, userId, changes.webhookId)
      await holdFolder(tx, userId, changes.folderId, kind.type)
      const place = await this.#place(tx, userId, kind, changes, before)
      const decided = { ...before.settings, ...settings }
      const [after] = await tx
        .update(storedBots)
        .set({ ...changes, ...place, settings: decided, updatedAt: sql`now()` })
        .where(eq(storedBots.id, id))
        .returning()
      return after!
    })
  }

  /** @throws {AppError} 409 for `ACTIVE`: the service cannot trade there */
  async setStatus(userId: number, kind: StoredKind, id: number, status: BotStatus): Promise<void> {
    const { exchangeId } = await this.get(userId, kind, id)
    if (status === 'INACTIVE') return
    const name = this.#parts.catalogue.find(exchangeId)?.name ?? `exchange ${exchangeId}`
    const why = `The service cannot trade on ${name} yet, so ${kind.one} ${id} stays INACTIVE.`
    throw new AppError('resource_conflict', `${why} You can keep, change and delete it.`, {
      details: [{ field: 'body.status', message: 'cannot be ACTIVE' }],
    })
  }

  async delete(userId: number, kind: StoredKind, id: number): Promise<void> {
    const gone = await this.#db
      .delete(storedBots)
      .where(own(userId, kind, id))
      .returning({ id: storedBots.id })
    if (gone.length === 0) throw notFound(kind.one, id)
  }

  /** Where the bot is to trade after a change. The account is locked, so two bots never get one address. */
  async #place(
    tx: Db,
    userId: number,
    kind: StoredKind,
    { exchangeId, connectionId, address }: StoredBotChanges,
    before?: StoredBot,
  ): Promise<Place> {
    const connection = connectionId === undefined ? (before?.connectionId ?? null) : connectionId
    const held = connection === null ? undefined : await holdPredictionConnection(tx, userId, connection)
    // A connection that the request names decides, unless it names an exchange too.
    const meant = exchangeId ?? (typeof connectionId === 'number' ? held?.exchangeId : before?.exchangeId)
    const exchange = this.#exchange(kind, meant)
    if (held !== undefined && held.exchangeId !== exchange.id) {
      throw invalidField(
        'connection_id',
        `must be for the exchange of the bot: connection ${connection} is for exchange ${held.exchangeId}, and the bot is for exchange ${exchange.id}`,
      )
    }
    const { chainId } = exchange
    const at = address === undefined ? (before?.address ?? null) : address
    const place = { exchangeId: exchange.id, connectionId: connection, chainId, address: null }
    if (chainId === null || at === null) return place
    checkAddress(chainId, at)
    const located = { ...place, chainId, address: spelt(at) }
    await demandFree(tx, userId, located, before?.id)
    return located
  }

  #exchange({ exchangeType, exchange: what, one }: StoredKind, id: number | undefined): CatalogueExchange {
    if (id === undefined) {
      const unless = exchangeType === 'PREDICTION' ? ', unless connection_id is given' : ''
      throw invalidField('exchange_id', `is required${unless}`)
    }
    const exchange = this.#parts.catalogue.find(id)
    if (exchange?.type === exchangeType) return exchange
    const found = exchange === undefined ? '' : ` (${exchange.name}, which is of type ${exchange.type})`
    throw invalidField('exchange_id', `of a ${one} must name a ${what} of the catalogue, got ${id}${found}`)
  }

  get #db(): Db {
    return this.#parts.database.db
  }
}

/** @throws {AppError} 400 for what is no address on an EVM chain. Other chains have other forms. */
function checkAddress(chainId: string, address: string): void {
  const isEvm = /^\d+$/.test(chainId)
  if (isEvm && !/^0x[\da-f]{40}$/i.test(address)) {
    throw invalidField('address', `must be 0x and 40 hexadecimal digits on chain ${chainId}`)
  }
}

/** Hexadecimal addresses mean the same in capitals. */
function spelt(address: string): string {
  return /^0x[\da-f]+$/i.test(address) ? address.toLowerCase() : address
}

/** @throws {AppError} 409 that names the other bot at this address */
async function demandFree(
  tx: Db,
  userId: number,
  place: { chainId: string; address: string },
  id: number | undefined,
): Promise<void> {
  const isOther = id === undefined ? undefined : ne(storedBots.id, id)
  const [other] = await tx
    .select({ id: storedBots.id })
    .from(storedBots)
    .where(and(atAddress(userId, place), isOther))
  if (other === undefined) return
  const { chainId, address } = place
  throw new AppError(
    'resource_conflict',
    `Your ${dexBots.one} ${other.id} has this address on chain ${chainId}.`,
    {
      details: [{ field: 'body.address', message: `belongs to ${dexBots.one} ${other.id}`, address }],
    },
  )
}

async function insert(tx: Db, values: typeof storedBots.$inferInsert): Promise<StoredBot> {
  const [bot] = await tx.insert(storedBots).values(values).returning()
  return bot!
}

function atAddress(userId: number, { chainId, address }: { chainId: string; address: string }) {
  return and(eq(storedBots.userId, userId), eq(storedBots.chainId, chainId), eq(storedBots.address, address))
}

function own(userId: number, { type }: StoredKind, id: number): SQL | undefined {
  return and(eq(storedBots.id, id), eq(storedBots.userId, userId), eq(storedBots.type, type))
}

function matching(
  { userId, type }: Slots<{ userId: number; type: string }>,
  filter: Slots<StoredBotFilter>,
): SQL | undefined {
  const { webhookId, connectionId, folderId } = filter
  const inFolder = folderId === null ? isNull(storedBots.folderId) : eq(storedBots.folderId, folderId ?? 0)
  return and(
    ofOne(storedBots.userId, userId, filter),
    sql`${storedBots.type} = ${type}`,
    webhookId === undefined ? undefined : eq(storedBots.webhookId, webhookId),
    connectionId === undefined ? undefined : eq(storedBots.connectionId, connectionId),
    folderId === undefined ? undefined : inFolder,
  )
}
