import { and, asc, eq, sql } from 'drizzle-orm'
import { type Note, noNote } from '../accounts/audit-log.ts'
import { CheckPace } from '../base/check-pace.ts'
import { AppError, inUse, invalidField, notFound } from '../base/errors.ts'
import type { Database, Db } from '../db/database.ts'
import { bots, exchangeConnections } from '../db/schema.ts'
import type { UserLimits } from '../db/user-limits.ts'
import type { Vault } from '../secrets/vault.ts'
import {
  type Credentials,
  fieldOf,
  type GivenCredentials,
  keyEnding,
  openCredentials,
  pickCredentials,
  sealCredentials,
} from './credentials.ts'

/** An exchange that is out of reach is mostly back, or under maintenance for longer. */
const unreachableRetrySeconds = 10

type Row = typeof exchangeConnections.$inferSelect

/** A connection without its credentials, which nobody is shown. */
export type ExchangeConnection = Omit<Row, 'credentials'> & {
  /** The last characters of the key; `null` where there are none to show. */
  keyEnding: string | null
}

/** An account on an exchange, as a user tells it. */
export type AccountWish = { exchangeId: number; credentials: GivenCredentials }

/** `unreachable`: the exchange has said nothing of them. A reason is a sentence for a person, without any secret. */
export type CredentialsCheck = { ok: true } | { ok: false; reason: string; unreachable?: boolean }

/** An exchange as the catalogue has it. */
type Exchange = {
  id: number
  type: string
  exchange: string
  service: string
  name: string
  enabled: boolean
}

export type ExchangeConnectionsParts = {
  database: Database
  vault: Vault
  limits: UserLimits
  catalogue: { find(id: number): Exchange | undefined }
  /** What an exchange needs, by ccxt's names. */
  credentialFields(exchange: string): readonly string[]
  /** Asks the exchange whether it knows them. */
  checkCredentials(
    venue: { exchange: string; service: string },
    given: Credentials,
  ): Promise<CredentialsCheck>
}

/** What bots trade with. */
export type OpenedConnection = { userId: number; exchangeId: number; credentials: Credentials }
/** One that is switched off takes no order; those of before can be looked up with it. */
export type ConnectionOfBot = OpenedConnection & { isActive: boolean }

/**
 * The accounts on exchanges of all users. What belongs to another user is not found. Credentials are checked with the
 * exchange before they are stored, and never change afterwards: other ones are another connection.
 */
export class ExchangeConnections {
  #parts: ExchangeConnectionsParts
  #pace = new CheckPace()

  constructor(parts: ExchangeConnectionsParts) {
    this.#parts = parts
  }

  /**
   * Asks the exchange, and stores nothing.
   * @throws {AppError} 400 when it refuses them, 429 when too much was asked, 503 when it is out of reach
   */
  async test(userId: number, wish: AccountWish): Promise<void> {
    const account = this.#read(wish)
    await this.#check(userId, account)
  }

  /** @throws {AppError} as `test`, and 409 when there are too many */
  async create(
    userId: number,
    { name, ...wish }: AccountWish & { name: string },
    note: Note = noNote,
  ): Promise<ExchangeConnection> {
    const account = this.#read(wish)
    // Before the exchange is asked, and for sure when it has answered.
    const { db } = this.#parts.database
    await this.#parts.limits.check(this.#parts.database.db, userId, 'exchange_connections')
    await this.#check(userId, account)
    const { id: exchangeId } = account.exchange
    const credentials = sealCredentials(this.#parts.vault, { userId, exchangeId }, account.credentials)
    const row = await db.transaction(async (tx) => {
      await this.#parts.limits.demandRoom(tx, userId, 'exchange_connections')
      const [made] = await tx
        .insert(exchangeConnections)
        .values({ userId, exchangeId, name, credentials })
        .returning()
      await noteConnection(note, tx, made!)
      return made!
    })
    return this.#show(row)
  }

  async list(userId: number, window: { limit: number; offset: number }): Promise<ExchangeConnection[]> {
    const rows = await this.#parts.database.db
      .select()
      .from(exchangeConnections)
      .where(eq(exchangeConnections.userId, userId))
      .orderBy(asc(exchangeConnections.id))
      .limit(window.limit)
      .offset(window.offset)
    return rows.map((row) => this.#show(row))
  }

  count(userId: number): Promise<number> {
    return countOf(this.#parts.database.db, userId)
  }

  async get(userId: number, id: number): Promise<ExchangeConnection> {
    const [row] = await this.#parts.database.db.select().from(exchangeConnections).where(own(userId, id))
    if (row === undefined) throw notFound('exchange connection', id)
    return this.#show(row)
  }

  /** Switched off, it is given to no bot; one that has it already lets go of it before its next signal. */
  async setStatus(userId: number, id: number, status: Row['status']): Promise<ExchangeConnection> {
    const { db } = this.#parts.database
    const row = await db.transaction(async (tx) => {
      // First the bots, then the connection: who changes a bot locks them in this order too.
      await renewBots(tx, userId, id)
      const [changed] = await tx
        .update(exchangeConnections)
        .set({ status, updatedAt: sql`now()` })
        .where(own(userId, id))
        .returning()
      if (changed === undefined) throw notFound('exchange connection', id)
      return changed
    })
    // A bot that was being set to it meanwhile may have opened it as it was.
    await renewBots(db, userId, id)
    return this.#show(row)
  }

  /** @throws {AppError} 409 naming the bots that are still set to it */
  async delete(userId: number, id: number, note: Note = noNote): Promise<void> {
    await this.#parts.database.db.transaction(async (tx) => {
      // A bot that is being set to it waits for this, or this for the bot: the foreign key locks the row too.
      const [row] = await tx.select().from(exchangeConnections).where(own(userId, id)).for('update')
      if (row === undefined) throw notFound('exchange connection', id)
      const users = await tx
        .select({ id: bots.id, name: bots.name })
        .from(bots)
        .where(eq(bots.connectionId, id))
        .orderBy(asc(bots.id))
        .limit(100)
      if (users.length > 0) {
        throw inUse(
          'exchange connection',
          users.map((bot) => ({ kind: 'bot', ...bot })),
        )
      }
      await tx.delete(exchangeConnections).where(own(userId, id))
      await noteConnection(note, tx, row)
    })
  }

  /**
   * What a bot's orders are signed with, read anew each time, so that a connection which was switched off on any node
   * is off. `undefined` when it is, or is gone.
   * @throws {UnreadableCredentials} when they were not sealed for this account and exchange
   */
  async credentialsOf(id: number): Promise<OpenedConnection | undefined> {
    const opened = await this.openFor(id)
    if (opened === undefined || !opened.isActive) return undefined
    const { isActive: _, ...connection } = opened
    return connection
  }

  /**
   * The same, whether it is switched on or off.
   * @throws {UnreadableCredentials} as `credentialsOf`
   */
  async openFor(id: number): Promise<ConnectionOfBot | undefined> {
    const { database, vault } = this.#parts
    const [row] = await database.db.select().from(exchangeConnections).where(eq(exchangeConnections.id, id))
    if (row === undefined) return undefined
    const { userId, exchangeId, status } = row
    try {
      const credentials = openCredentials(vault, row, row.credentials)
      return { userId, exchangeId, isActive: status === 'ACTIVE', credentials }
    } catch (cause) {
      throw new UnreadableCredentials(id, cause)
    }
  }

  #read({ exchangeId, credentials: given }: AccountWish): { exchange: Exchange; credentials: Credentials } {
    const exchange = this.#parts.catalogue.find(exchangeId)
    if (exchange === undefined || exchange.type !== 'CEX' || !exchange.enabled) {
      throw invalidField('exchange_id', 'must be the id of an enabled CEX exchange')
    }
    const needed = this.#parts.credentialFields(exchange.exchange)
    const credentials = pickCredentials(given, needed)
    const missing = needed.filter((name) => credentials[name] === undefined).map(fieldOf)
    if (missing.length > 0) {
      const fields = missing.map((name) => `body.${name}`)
      throw new AppError('request_invalid', `Invalid request: ${exchange.name} needs ${fields.join(', ')}.`, {
        details: fields.map((field) => ({ field, message: `is needed by ${exchange.name}` })),
      })
    }
    return { exchange, credentials }
  }

  async #check(
    userId: number,
    { exchange, credentials }: { exchange: Exchange; credentials: Credentials },
  ): Promise<void> {
    const { name, service } = exchange
    const venue = { exchange: exchange.exchange, service }
    const outcome = await this.#pace.run(userId, () => this.#parts.checkCredentials(venue, credentials))
    if (outcome.ok) return
    const { reason } = outcome
    if (outcome.unreachable === true) {
      throw new AppError(
        'service_unavailable',
        `${name} could not be asked, and nothing was stored: ${reason}`,
        {
          retryAfterSeconds: unreachableRetrySeconds,
        },
      )
    }
    throw new AppError('request_invalid', `${name} does not take these credentials: ${reason}`, {
      details: [{ field: 'body', message: reason }],
    })
  }

  #show({ credentials, ...row }: Row): ExchangeConnection {
    try {
      return { ...row, keyEnding: keyEnding(openCredentials(this.#parts.vault, row, credentials)) }
    } catch {
      // It can still be seen and deleted.
      return { ...row, keyEnding: null }
    }
  }
}

export class UnreadableCredentials extends Error {
  override name = 'UnreadableCredentials'

  constructor(id: number, cause: unknown) {
    super(
      `The credentials of the exchange connection ${id} cannot be read; delete it, and make it once more.`,
      {
        cause,
      },
    )
  }
}

function noteConnection(note: Note, tx: Db, { id, exchangeId, name }: Row): Promise<void> {
  return note(tx, { connection_id: id, exchange_id: exchangeId, name })
}

function own(userId: number, id: number) {
  return and(eq(exchangeConnections.id, id), eq(exchangeConnections.userId, userId))
}

/** Has the bots of a connection read it anew: what they hold of it is worth nothing under another version. */
async function renewBots(db: Db, userId: number, connectionId: number): Promise<void> {
  await db
    .update(bots)
    .set({ version: sql`${bots.version} + 1` })
    .where(and(eq(bots.connectionId, connectionId), eq(bots.userId, userId)))
}

function countOf(db: Db, userId: number): Promise<number> {
  return db.$count(exchangeConnections, eq(exchangeConnections.userId, userId))
}
