import { createECDH } from 'node:crypto'
import { and, asc, eq, sql } from 'drizzle-orm'
import { type Note, noNote } from '../accounts/audit-log.ts'
import { AppError, type ErrorDetail, inUse, invalidField, notFound } from '../base/errors.ts'
import type { Database, Db } from '../db/database.ts'
import { ofOne } from '../db/reads.ts'
import { predictionConnections, storedBots } from '../db/schema.ts'
import { kindOfStoredBot } from '../db/stored-bot-kinds.ts'
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

type Row = typeof predictionConnections.$inferSelect

/** A connection without its credentials, which no response contains. */
export type PredictionConnection = Omit<Row, 'credentials'> & {
  /** The last characters of the key or address; `null` if it is too short to show any. */
  keyEnding: string | null
}

type Requested = { exchangeId: number; credentials: GivenCredentials }

/** An exchange of the catalogue. */
type Exchange = { id: number; type: string; exchange: string; name: string }

export type PredictionConnectionsParts = {
  database: Database
  vault: Vault
  limits: UserLimits
  catalogue: { find(id: number): Exchange | undefined }
  /** The credentials that a prediction market requires, by ccxt's names. */
  credentialFields(exchange: string): readonly string[]
}

/**
 * The accounts on prediction markets of all users. Another user's connection counts as missing. There is no venue for
 * these markets yet, so nothing signs in to one of them: the service checks only the form of the credentials, and
 * nothing opens them.
 */
export class PredictionConnections {
  #parts: PredictionConnectionsParts

  constructor(parts: PredictionConnectionsParts) {
    this.#parts = parts
  }

  /**
   * Checks the form of credentials, and stores nothing.
   * @throws {AppError} 400 that names each field that is missing or has another form
   */
  check(requested: Requested): void {
    this.#read(requested)
  }

  /** @throws {AppError} like `check`, and 409 if the user has too many connections */
  async create(
    userId: number,
    { name, ...requested }: Requested & { name: string },
    note: Note = noNote,
  ): Promise<PredictionConnection> {
    const credentials = this.#read(requested)
    const owner = { userId, exchangeId: requested.exchangeId }
    const sealed = sealCredentials(this.#parts.vault, owner, credentials)
    const row = await this.#db.transaction(async (tx) => {
      await this.#parts.limits.demandRoom(tx, userId, 'exchange_connections')
      const [created] = await tx
        .insert(predictionConnections)
        .values({ ...owner, name, credentials: sealed })
        .returning()
      await noteConnection(note, tx, created!)
      return created!
    })
    return this.#show(row)
  }

  /** In order of id. */
  async list(userId: number, window: { limit: number; offset: number }): Promise<PredictionConnection[]> {
    const { read } = this.#parts.database
    const rows = await read('prediction connections', { userId, ...window }, (slots) =>
      this.#db
        .select()
        .from(predictionConnections)
        .where(ofOne(predictionConnections.userId, slots.userId))
        .orderBy(asc(predictionConnections.userId), asc(predictionConnections.id))
        .limit(slots.limit)
        .offset(slots.offset),
    )
    return rows.map((row) => this.#show(row))
  }

  count(userId: number): Promise<number> {
    return this.#db.$count(predictionConnections, eq(predictionConnections.userId, userId))
  }

  async get(userId: number, id: number): Promise<PredictionConnection> {
    const [row] = await this.#db.select().from(predictionConnections).where(own(userId, id))
    if (row === undefined) throw notFound('prediction connection', id)
    return this.#show(row)
  }

  async setStatus(userId: number, id: number, status: Row['status']): Promise<PredictionConnection> {
    const [row] = await this.#db
      .update(predictionConnections)
      .set({ status, updatedAt: sql`now()` })
      .where(own(userId, id))
      .returning()
    if (row === undefined) throw notFound('prediction connection', id)
    return this.#show(row)
  }

  /** @throws {AppError} 409 naming the bots that still use it */
  async delete(userId: number, id: number, note: Note = noNote): Promise<void> {
    await this.#db.transaction(async (tx) => {
      // A transaction that gives the connection to a bot holds it until it ends.
      const [row] = await tx.select().from(predictionConnections).where(own(userId, id)).for('update')
      if (row === undefined) throw notFound('prediction connection', id)
      const users = await tx
        .select({ kind: kindOfStoredBot, id: storedBots.id, name: storedBots.name })
        .from(storedBots)
        .where(eq(storedBots.connectionId, id))
        .orderBy(asc(storedBots.id))
        .limit(100)
      if (users.length > 0) throw inUse('prediction connection', users)
      await tx.delete(predictionConnections).where(own(userId, id))
      await noteConnection(note, tx, row)
    })
  }

  #read({ exchangeId, credentials: given }: Requested): Credentials {
    const exchange = this.#parts.catalogue.find(exchangeId)
    if (exchange?.type !== 'PREDICTION') {
      throw invalidField(
        'exchange_id',
        'must be the id of a prediction market: see /api/v2/exchange/prediction',
      )
    }
    const required = this.#parts.credentialFields(exchange.exchange)
    const credentials = pickCredentials(given, required)
    const details = required.flatMap((name): ErrorDetail[] => {
      const value = credentials[name]
      const message =
        value === undefined ? `is required by ${exchange.name}` : problemOf(name, value, required)
      return message === undefined ? [] : [{ field: `body.${fieldOf(name)}`, message }]
    })
    const [first] = details
    if (first === undefined) return credentials
    throw new AppError('request_invalid', `Invalid request: ${first.field} ${first.message}.`, { details })
  }

  #show({ credentials, ...row }: Row): PredictionConnection {
    try {
      return { ...row, keyEnding: keyEnding(openCredentials(this.#parts.vault, row, credentials)) }
    } catch {
      // The user can still see and delete the connection.
      return { ...row, keyEnding: null }
    }
  }

  get #db(): Db {
    return this.#parts.database.db
  }
}

/**
 * Finds a connection for a bot, and keeps it from being deleted until the transaction ends.
 * @throws {AppError} 400 if it belongs to another user
 */
export async function holdPredictionConnection(
  tx: Db,
  userId: number,
  id: number,
): Promise<{ exchangeId: number }> {
  const [row] = await tx
    .select({ exchangeId: predictionConnections.exchangeId })
    .from(predictionConnections)
    .where(own(userId, id))
    .for('share')
  if (row !== undefined) return row
  throw invalidField('connection_id', `must be a prediction connection of yours, got ${id}`)
}

/** What is wrong with the form of a credential, without the credential. Only wallets have a known form. */
function problemOf(name: string, value: string, required: readonly string[]): string | undefined {
  if (!required.includes('walletAddress')) return undefined
  if (name === 'walletAddress' && !/^0x[\da-f]{40}$/i.test(value)) {
    return 'must be an address: 0x and 40 hexadecimal digits'
  }
  if (name === 'privateKey' && !isPrivateKey(value)) {
    return 'must be the private key of a wallet: 64 hexadecimal digits, with or without 0x'
  }
  return undefined
}

function isPrivateKey(text: string): boolean {
  const [, digits] = /^(?:0x)?([\da-f]{64})$/i.exec(text) ?? []
  if (digits === undefined) return false
  try {
    // Refuses numbers that are no key on the curve, such as 0.
    createECDH('secp256k1').setPrivateKey(digits, 'hex')
    return true
  } catch {
    return false
  }
}

function noteConnection(note: Note, tx: Db, { id, exchangeId, name }: Row): Promise<void> {
  return note(tx, { connection_id: id, exchange_id: exchangeId, name })
}

function own(userId: number, id: number) {
  return and(eq(predictionConnections.id, id), eq(predictionConnections.userId, userId))
}
