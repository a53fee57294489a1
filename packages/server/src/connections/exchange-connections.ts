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

/** Most exchanges are reachable again by then; the others are under maintenance for longer. */
const unreachableRetrySeconds = 10

type Row = typeof exchangeConnections.$inferSelect

/** A connection without its credentials, which no response contains. */
export type ExchangeConnection = Omit<Row, 'credentials'> & {
  /** The last characters of the key; `null` if it is too short to show any. */
  keyEnding: string | null
}

/** An account on an exchange, as a request describes it. */
export type RequestedAccount = { exchangeId: number; credentials: GivenCredentials }

/** `unreachable`: the exchange did not answer. A reason is a sentence for a person, without any secret. */
export type CredentialsCheck = { ok: true } | { ok: false; reason: string; unreachable?: boolean }

/** An exchange of the catalogue. */
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
  /** The credentials that an exchange requires, by ccxt's names. */
  credentialFields(exchange: string): readonly string[]
  /** Asks the exchange whether it accepts them. */
  checkCredentials(
    venue: { exchange: string; service: string },
    given: Credentials,
  ): Promise<CredentialsCheck>
}

/** An account with its credentials, for trading. */
export type OpenedConnection = { userId: number; exchangeId: number; credentials: Credentials }
/** A connection that is switched off takes no orders, but a bot can still look up its earlier orders. */
export type ConnectionOfBot = OpenedConnection & { isActive: boolean }

/**
 * The accounts on exchanges of all users. Another user's connection counts as missing. The exchange checks credentials
 * before they are stored. They never change afterwards: other credentials need another connection.
 */
export class ExchangeConnections {
  #parts: ExchangeConnectionsParts
  #pace = new CheckPace()

  constructor(parts: ExchangeConnectionsParts) {
    this.#parts = parts
  }

  /**
   * Checks credentials with the exchange, and stores nothing.
   * @throws {AppError} 400 if it rejects them, 429 after too many checks, 503 if it is unreachable
   */
  async test(userId: number, requested: RequestedAccount): Promise<void> {
    const account = this.#read(requested)
    await this.#check(userId, account)
  }

  /** @throws {AppError} like `test`, and 409 if the user has too many connections */
  async create(
    userId: number,
    { name, ...requested }: RequestedAccount & { name: string },
    note: Note = noNote,
  ): Promise<ExchangeConnection> {
    const account = this.#read(requested)
    // Checked before asking the exchange, to save the request, and again in the transaction, which decides.
    const { db } = this.#parts.database
    await this.#parts.limits.check(db, userId, 'exchange_connections')
    await this.#check(userId, account)
    const { id: exchangeId } = account.exchange
    const credentials = sealCredentials(this.#parts.vault, { userId, exchangeId }, account.credentials)
    const row = await db.transaction(async (tx) => {
      await this.#parts.limits.demandRoom(tx, userId, 'exchange_connections')
      const [created] = await tx
        .insert(exchangeConnections)
        .values({ userId, exchangeId, name, credentials })
        .returning()
      await noteConnection(note, tx, created!)
      return created!
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

  /** No bot can use a connection that is off. A bot that has it open closes it before its next signal. */
  async setStatus(userId: number, id: number, status: Row['status']): Promise<ExchangeConnection> {
    const { db } = this.#parts.database
    const row = await db.transaction(async (tx) => {
      // First the bots, then the connection: code that changes a bot locks them in this order, too.
      await invalidateBots(tx, userId, id)
      const [changed] = await tx
        .update(exchangeConnections)
        .set({ status, updatedAt: sql`now()` })
        .where(own(userId, id))
        .returning()
      if (changed === undefined) throw notFound('exchange connection', id)
      return changed
    })
    // A bot that was given this connection in the meantime may have opened it with the old status.
    await invalidateBots(db, userId, id)
    return this.#show(row)
  }

  /** @throws {AppError} 409 naming the bots that still use it */
  async delete(userId: number, id: number, note: Note = noNote): Promise<void> {
    await this.#parts.database.db.transaction(async (tx) => {
      // This waits for a bot that is being given the connection, or the other way round: the foreign key locks the row, too.
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
   * The credentials that sign a bot's orders. They are read each time, so that a connection that any node switched off
   * is off here too. `undefined` if it is off or deleted.
   * @throws {UnreadableCredentials} if they were not sealed for this user and exchange
   */
  async credentialsOf(id: number): Promise<OpenedConnection | undefined> {
    const opened = await this.openFor(id)
    if (opened === undefined || !opened.isActive) return undefined
    const { isActive: _, ...connection } = opened
    return connection
  }

  /**
   * Like `credentialsOf`, whether the connection is on or off.
   * @throws {UnreadableCredentials}
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

  #read({ exchangeId, credentials: given }: RequestedAccount): {
    exchange: Exchange
    credentials: Credentials
  } {
    const exchange = this.#parts.catalogue.find(exchangeId)
    if (exchange === undefined || exchange.type !== 'CEX' || !exchange.enabled) {
      throw invalidField('exchange_id', 'must be the id of an enabled CEX exchange')
    }
    const required = this.#parts.credentialFields(exchange.exchange)
    const credentials = pickCredentials(given, required)
    const missing = required.filter((name) => credentials[name] === undefined).map(fieldOf)
    if (missing.length > 0) {
      const fields = missing.map((name) => `body.${name}`)
      throw new AppError(
        'request_invalid',
        `Invalid request: ${exchange.name} requires ${fields.join(', ')}.`,
        {
          details: fields.map((field) => ({ field, message: `is required by ${exchange.name}` })),
        },
      )
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
        `${name} could not be reached, and nothing was stored: ${reason}`,
        {
          retryAfterSeconds: unreachableRetrySeconds,
        },
      )
    }
    throw new AppError('request_invalid', `${name} rejects these credentials: ${reason}`, {
      details: [{ field: 'body', message: reason }],
    })
  }

  #show({ credentials, ...row }: Row): ExchangeConnection {
    try {
      return { ...row, keyEnding: keyEnding(openCredentials(this.#parts.vault, row, credentials)) }
    } catch {
      // The user can still see and delete the connection.
      return { ...row, keyEnding: null }
    }
  }
}

export class UnreadableCredentials extends Error {
  override name = 'UnreadableCredentials'

  constructor(id: number, cause: unknown) {
    super(`The credentials of the exchange connection ${id} cannot be read. Delete it and create it again.`, {
      cause,
    })
  }
}

function noteConnection(note: Note, tx: Db, { id, exchangeId, name }: Row): Promise<void> {
  return note(tx, { connection_id: id, exchange_id: exchangeId, name })
}

function own(userId: number, id: number) {
  return and(eq(exchangeConnections.id, id), eq(exchangeConnections.userId, userId))
}

/** Makes the bots of a connection read it again: they discard what they hold of it when their version changes. */
async function invalidateBots(db: Db, userId: number, connectionId: number): Promise<void> {
  await db
    .update(bots)
    .set({ version: sql`${bots.version} + 1` })
    .where(and(eq(bots.connectionId, connectionId), eq(bots.userId, userId)))
}

function countOf(db: Db, userId: number): Promise<number> {
  return db.$count(exchangeConnections, eq(exchangeConnections.userId, userId))
}
