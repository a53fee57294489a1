import { and, asc, eq, sql } from 'drizzle-orm'
import { type Note, noNote } from '../accounts/audit-log.ts'
import { AppError, inUse, invalidField, notFound } from '../base/errors.ts'
import type { Database, Db } from '../db/database.ts'
import { bots, exchangeConnections } from '../db/schema.ts'
import type { UserLimits } from '../db/user-limits.ts'
import type { Vault } from '../secrets/vault.ts'
import type { AccountFacts } from '../trading/account.ts'
import { dialectOf } from '../trading/live/dialects/index.ts'
import {
  AccountChecks,
  type CheckCredentials,
  type Findings,
  storable,
  warningsOf,
} from './account-checks.ts'
import {
  type Credentials,
  fieldOf,
  type GivenCredentials,
  keyEnding,
  openCredentials,
  pickCredentials,
  sealCredentials,
} from './credentials.ts'
import { accountName, connectionsToAccount } from './same-account.ts'

type Row = typeof exchangeConnections.$inferSelect

/** What is known about an account. `warnings` are sentences for its owner. */
export type KnownAccount = Pick<Row, 'isDemo' | 'facts'> & { warnings: string[] }

/** A connection without its credentials, which no response contains. */
export type ExchangeConnection = Omit<Row, 'credentials'> &
  KnownAccount & {
    /** The last characters of the key; `null` if it is too short to show any. */
    keyEnding: string | null
  }

/** An account on an exchange, as a request describes it. */
export type RequestedAccount = { exchangeId: number; isDemo: boolean; credentials: GivenCredentials }

/** A requested account, with the exchange of the catalogue and the credentials that it requires. */
type RequestedExchange = { exchange: Exchange; isDemo: boolean; credentials: Credentials }

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
  /** Asks the exchange whether it accepts them, and what it says about the account. */
  checkCredentials: CheckCredentials
  /** Whether users may connect accounts with keys that may withdraw. */
  allowWithdrawalKeys: boolean
  /** Called once when the exchange says for the first time that a stored key may withdraw. */
  onWithdrawals?(connection: { id: number; userId: number }): void
}

/**
 * An account with its credentials, for trading. A connection that is switched off takes no orders, but a bot can still
 * look up its earlier orders.
 */
export type OpenedConnection = {
  userId: number
  exchangeId: number
  isActive: boolean
  isDemo: boolean
  credentials: Credentials
  /** When the exchange last said what the account is like. */
  factsAt: Date | null
}

/**
 * The accounts on exchanges of all users. Another user's connection counts as missing. The exchange checks credentials
 * before they are stored. They never change afterwards: other credentials need another connection.
 */
export class ExchangeConnections {
  #parts: ExchangeConnectionsParts
  #checks: AccountChecks

  constructor(parts: ExchangeConnectionsParts) {
    this.#parts = parts
    this.#checks = new AccountChecks(parts)
  }

  /**
   * Checks credentials with the exchange, and stores nothing.
   * @throws {AppError} 400 if it rejects them, 429 after too many checks, 503 if it is unreachable
   */
  async test(userId: number, requested: RequestedAccount): Promise<KnownAccount> {
    const account = this.#read(requested)
    const { facts } = await this.#checks.ofNew(userId, account)
    return { isDemo: account.isDemo, facts, warnings: warningsOf({ ...account, facts }) }
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
    const findings = await this.#checks.ofNew(userId, account)
    const values = { name, ...foundValues(findings), ...this.#newRow(userId, account, findings) }
    const row = await db.transaction(async (tx) => {
      await this.#parts.limits.demandRoom(tx, userId, 'exchange_connections')
      const [created] = await tx.insert(exchangeConnections).values(values).returning()
      await noteConnection(note, tx, created!)
      return created!
    })
    return this.#show(row)
  }

  /** The credentials that an exchange requires, by their fields in a request. Empty for an unknown exchange. */
  requiredFields(exchangeId: number): string[] {
    const exchange = this.#parts.catalogue.find(exchangeId)
    return exchange === undefined ? [] : this.#parts.credentialFields(exchange.exchange).map(fieldOf)
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
   * The account that a bot trades. It is read each time, so that a connection that any node switched off is off here too.
   * `undefined` if it is deleted.
   * @throws {UnreadableCredentials} if the credentials were not sealed for this user and exchange
   */
  async openFor(id: number): Promise<OpenedConnection | undefined> {
    const { db } = this.#parts.database
    const [row] = await db.select().from(exchangeConnections).where(eq(exchangeConnections.id, id))
    if (row === undefined) return undefined
    const { userId, exchangeId, status, isDemo, factsAt } = row
    const credentials = this.#open(row)
    // Older versions stored connections without it.
    if (row.account === null) await this.#store(row, { facts: null, equity: null })
    return { userId, exchangeId, isActive: status === 'ACTIVE', isDemo, credentials, factsAt }
  }

  /**
   * Asks the exchange whether bots can trade with a connection as its account is now, and stores what it said.
   * @throws {AppError} 409 that says what to change, 429 after too many checks, 503 if the exchange is unreachable
   */
  async checkForTrading(userId: number, id: number): Promise<void> {
    const [row] = await this.#parts.database.db.select().from(exchangeConnections).where(own(userId, id))
    if (row === undefined) throw notFound('exchange connection', id)
    const exchange = this.#parts.catalogue.find(row.exchangeId)
    if (exchange === undefined) throw notFound('exchange', row.exchangeId)
    const account = { exchange, isDemo: row.isDemo, credentials: this.#openForOwner(row) }
    await this.#checks.forTrading(userId, account, (findings) => this.#store(row, findings))
  }

  /** Stores what the exchange said about the account of a connection while a bot used it. */
  async noteFacts(id: number, facts: AccountFacts): Promise<void> {
    const { db } = this.#parts.database
    const [row] = await db.select().from(exchangeConnections).where(eq(exchangeConnections.id, id))
    if (row !== undefined) await this.#store(row, { facts: storable(facts), equity: null })
  }

  /** The ids of the user's connections to the same account at the exchange, the connection itself included. */
  sameAccount(tx: Db, userId: number, id: number): Promise<number[]> {
    return connectionsToAccount(this.#parts, tx, userId, id)
  }

  #newRow(userId: number, { exchange, isDemo, credentials }: RequestedExchange, { facts }: Findings) {
    const { vault } = this.#parts
    const accountId = facts?.accountId ?? null
    const account = { userId, exchange: exchange.exchange, isDemo, credentials, accountId }
    const owner = { userId, exchangeId: exchange.id }
    return {
      ...owner,
      isDemo,
      account: accountName(vault, account),
      credentials: sealCredentials(vault, owner, credentials),
    }
  }

  #read({ exchangeId, isDemo, credentials: given }: RequestedAccount): RequestedExchange {
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
    if (isDemo && dialectOf(exchange.exchange)?.useDemo === undefined) {
      throw invalidField('demo', `must be false, because the service supports no demo of ${exchange.name}`)
    }
    return { exchange, isDemo, credentials }
  }

  async #store(row: Row, findings: Findings): Promise<void> {
    const { id, userId, isDemo } = row
    const values = { ...foundValues(findings), ...this.#accountOf(row, findings) }
    if (Object.keys(values).length === 0) return
    const isSame = sql`${exchangeConnections.factsAt} is not distinct from ${row.factsAt}`
    const stored = await this.#parts.database.db
      .update(exchangeConnections)
      .set(values)
      .where(and(eq(exchangeConnections.id, id), isSame))
      .returning({ id: exchangeConnections.id })
    // If another node was faster, what it stored is as new, and it reported the change.
    const isNew = row.facts?.mayWithdraw !== true && findings.facts?.mayWithdraw === true
    if (stored.length > 0 && isNew && !isDemo) this.#parts.onWithdrawals?.({ id, userId })
  }

  /** A name from the exchange's own id of the account replaces one from the key. */
  #accountOf(row: Row, { facts }: Findings): { account?: string } {
    const accountId = facts?.accountId ?? null
    if (accountId === null && row.account !== null) return {}
    const { vault, catalogue } = this.#parts
    const exchange = catalogue.find(row.exchangeId)?.exchange
    if (exchange === undefined) return {}
    return { account: accountName(vault, { ...row, exchange, accountId, credentials: this.#open(row) }) }
  }

  /** @throws {UnreadableCredentials} */
  #open(row: Row): Credentials {
    try {
      return openCredentials(this.#parts.vault, row, row.credentials)
    } catch (cause) {
      throw new UnreadableCredentials(row.id, cause)
    }
  }

  #openForOwner(row: Row): Credentials {
    try {
      return this.#open(row)
    } catch (error) {
      if (!(error instanceof UnreadableCredentials)) throw error
      throw new AppError('resource_conflict', error.message, { cause: error })
    }
  }

  #show({ credentials, ...row }: Row): ExchangeConnection {
    const { vault, catalogue } = this.#parts
    const warnings = warningsOf({ ...row, exchange: catalogue.find(row.exchangeId) })
    try {
      return { ...row, warnings, keyEnding: keyEnding(openCredentials(vault, row, credentials)) }
    } catch {
      // The user can still see and delete the connection.
      return { ...row, warnings, keyEnding: null }
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

/** The columns for what the exchange said. What it did not say stays as it was. */
function foundValues({ facts, equity }: Findings) {
  const now = new Date()
  return {
    ...(facts === null ? {} : { facts, factsAt: now }),
    ...(equity === null ? {} : { equity: equity.amount, equityCurrency: equity.currency, equityAt: now }),
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
