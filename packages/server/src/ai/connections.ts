import { and, asc, eq, or, sql } from 'drizzle-orm'
import { type Note, noNote } from '../accounts/audit-log.ts'
import { CheckPace } from '../base/check-pace.ts'
import { AppError, inUse, invalidField, notFound } from '../base/errors.ts'
import { lockAccount } from '../db/account-lock.ts'
import type { Database, Db } from '../db/database.ts'
import { aiConnections, llmSettings, strategies } from '../db/schema.ts'
import { typeName } from '../db/strategy-types.ts'
import type { UserLimits } from '../db/user-limits.ts'
import type { Vault } from '../secrets/vault.ts'
import { keyEnding, openKey, sealKey } from './credentials.ts'
import { findModel } from './model-ids.ts'
import { listModels } from './model-list.ts'
import { mayFallBack, ProviderFailure } from './provider-failure.ts'
import type { ProviderHttp } from './provider-http.ts'
import type { ModelAccess, Providers } from './providers.ts'
import { type AiService, aiServices, findService } from './services.ts'

/** For a provider that does not say how long to wait. */
const unreachableRetrySeconds = 10
const checkTimeoutMs = 20_000
/** Enough for models that reason before they answer. Some refuse a lower limit. */
const checkTokens = 256

type Row = typeof aiConnections.$inferSelect

/** A connection without its key, which the API never shows. */
export type AiConnection = Omit<Row, 'credentials'> & {
  /** The last characters of the key; `null` if they must not be shown. */
  keyEnding: string | null
}

export type NewAiConnection = {
  serviceId: number
  name: string
  apiKey: string | null
  baseUrl: string | null
  /** Its name, or its number in the list of models. */
  model: string | number
  streaming: boolean
  fallbackId: number | null
}

export type AiConnectionsParts = {
  database: Database
  vault: Vault
  limits: UserLimits
  http: ProviderHttp
  providers: Providers
}

/**
 * The AI connections of all users. A connection of another user counts as missing. The service tests a connection with
 * its provider before it stores it. The key and the address never change: use another connection for others.
 */
export class AiConnections {
  #parts: AiConnectionsParts
  #pace = new CheckPace()

  constructor(parts: AiConnectionsParts) {
    this.#parts = parts
  }

  /** @throws {AppError} 400 if the provider refuses, 409 if there are too many, 429, 503 if it cannot be reached */
  async create(userId: number, settings: NewAiConnection, note: Note = noNote): Promise<AiConnection> {
    const { service, ...given } = this.#read(settings)
    const { database, vault } = this.#parts
    // Checked again in the transaction: the provider's answer takes time.
    if (settings.fallbackId !== null) await this.#demandFallback(database.db, userId, settings.fallbackId)
    await this.#parts.limits.check(this.#parts.database.db, userId, 'ai_connections')
    const access = { ...given, model: await this.#modelNamed(userId, service, given) }
    await this.#check(userId, service, access)
    const { serviceId, baseUrl, model, streaming } = access
    const credentials = sealKey(vault, { userId, serviceId, baseUrl }, access.apiKey)
    const { name, fallbackId } = settings
    return database.db.transaction(async (tx) => {
      await this.#parts.limits.demandRoom(tx, userId, 'ai_connections')
      if (fallbackId !== null) await this.#demandFallback(tx, userId, fallbackId)
      const [created] = await tx
        .insert(aiConnections)
        .values({ userId, serviceId, baseUrl, model, streaming, credentials, name, fallbackId })
        .returning()
      await noteConnection(note, tx, created!)
      return this.#show(created!)
    })
  }

  async list(userId: number, window: { limit: number; offset: number }): Promise<AiConnection[]> {
    const rows = await this.#parts.database.db
      .select()
      .from(aiConnections)
      .where(eq(aiConnections.userId, userId))
      .orderBy(asc(aiConnections.id))
      .limit(window.limit)
      .offset(window.offset)
    return rows.map((row) => this.#show(row))
  }

  count(userId: number): Promise<number> {
    return countOf(this.#parts.database.db, userId)
  }

  async get(userId: number, id: number): Promise<AiConnection> {
    return this.#show(await this.#find(userId, id))
  }

  /** Stores the model after it has answered. Later runs ask it. */
  async setModel(userId: number, id: number, given: string | number): Promise<AiConnection> {
    const row = await this.#find(userId, id)
    const access = this.#open(row)
    const service = findService(row.serviceId)
    const model = await this.#modelNamed(userId, service, { ...access, model: given })
    await this.#check(userId, service, { ...access, model })
    return this.#change(userId, id, { model })
  }

  /** @throws {AppError} 400 unless the fallback is another connection of the same account */
  setFallback(userId: number, id: number, fallbackId: number | null): Promise<AiConnection> {
    return this.#parts.database.db.transaction(async (tx) => {
      await lockAccount(tx, userId)
      const [row] = await tx.select({ id: aiConnections.id }).from(aiConnections).where(own(userId, id))
      if (row === undefined) throw notFound('AI connection', id)
      if (fallbackId === id) throw noFallback()
      if (fallbackId !== null) await this.#demandFallback(tx, userId, fallbackId)
      return this.#change(userId, id, { fallbackId }, tx)
    })
  }

  /** @throws {AppError} 409, which names the connections and reactions that use it */
  async delete(userId: number, id: number, note: Note = noNote): Promise<void> {
    await this.#parts.database.db.transaction(async (tx) => {
      // Waits for a concurrent request that makes it a fallback, or makes that request wait.
      await lockAccount(tx, userId)
      // A concurrent request that gives it to a reaction holds the row, and `usersOf` then finds that reaction.
      const [row] = await tx.select().from(aiConnections).where(own(userId, id)).for('update')
      if (row === undefined) throw notFound('AI connection', id)
      const users = await usersOf(tx, userId, id)
      if (users.length > 0) throw inUse('AI connection', users)
      await tx.delete(aiConnections).where(own(userId, id))
      await noteConnection(note, tx, row)
    })
  }

  /**
   * The models that the provider lists.
   * @throws {AppError} 404, also for a connection to another service; 400, 429 and 503 as in `create`
   */
  async models(userId: number, id: number, serviceId: number): Promise<string[]> {
    const row = await this.#find(userId, id)
    if (row.serviceId !== serviceId) throw notFound('AI connection', id)
    return this.#list(userId, findService(serviceId), this.#open(row))
  }

  /**
   * The connection and the fallback of a run, which reads them each time. `undefined` if there is no such connection. A
   * fallback with an unreadable key is ignored.
   * @param fallbackId replaces the connection's own fallback
   * @throws {UnreadableKey} if the key was not sealed for this account, service and address
   */
  async openFor(
    userId: number,
    id: number,
    fallbackId: number | null = null,
  ): Promise<{ connection: ModelAccess; fallback: ModelAccess | null } | undefined> {
    const { db } = this.#parts.database
    const [row] = await db.select().from(aiConnections).where(own(userId, id))
    if (row === undefined) return undefined
    const connection = this.#accessOfRun(row)
    const secondId = fallbackId ?? row.fallbackId
    if (secondId === null || secondId === id) return { connection, fallback: null }
    const [second] = await db.select().from(aiConnections).where(own(userId, secondId))
    try {
      return { connection, fallback: second === undefined ? null : this.#access(second) }
    } catch {
      return { connection, fallback: null }
    }
  }

  /** @throws {AppError} 400 unless `fallbackId` is another of the user's connections */
  async checkFallback(userId: number, connectionId: number, fallbackId: number): Promise<void> {
    const { db } = this.#parts.database
    const [row] = await db.select({ id: aiConnections.id }).from(aiConnections).where(own(userId, fallbackId))
    if (row !== undefined && fallbackId !== connectionId) return
    throw invalidField(
      'fallback_id',
      `must be one of your AI connections other than connection_id; ${fallbackId} is not`,
    )
  }

  #list(
    userId: number,
    service: AiService | undefined,
    access: Omit<ModelAccess, 'model'>,
  ): Promise<string[]> {
    const name = service?.name ?? 'The provider'
    return this.#pace.run(userId, () =>
      listModels(this.#parts.http, access).catch((error) => Promise.reject(publicError(name, error))),
    )
  }

  /**
   * The name of a model. The provider is asked if the model is given by a number that this version does not know.
   * @throws {AppError} 400 if there is no such number
   */
  async #modelNamed(
    userId: number,
    service: AiService | undefined,
    { model, ...access }: Omit<ModelAccess, 'model'> & { model: string | number },
  ): Promise<string> {
    if (typeof model === 'string') return model
    const known = findModel(service?.models ?? [], model)
    const found = known ?? findModel(await this.#list(userId, service, access), model)
    if (found !== undefined) return found
    const where = service === undefined ? '' : `: GET /api/v2/api/llm/models/${service.id} lists some`
    throw invalidField('model', `must be the name or the id of a model, and ${model} is neither${where}`)
  }

  #read({ serviceId, apiKey, baseUrl, model, streaming }: NewAiConnection) {
    const service = findService(serviceId)
    if (service === undefined) throw unknownService()
    if (service.needsKey && apiKey === null) throw invalidField('api_key', `is required by ${service.name}`)
    if (service.baseUrl === null && baseUrl === null) {
      throw invalidField('base_url', `is required by ${service.name}`)
    }
    const address = baseUrl === null ? null : this.#readAddress(baseUrl)
    return { service, serviceId, apiKey, baseUrl: address, model, streaming }
  }

  #readAddress(text: string): string {
    const url = URL.parse(text)
    if (url === null || url.search !== '' || url.hash !== '') {
      throw invalidField('base_url', 'must be an address such as https://host/v1, without a query')
    }
    try {
      this.#parts.http.check(url)
    } catch (error) {
      throw invalidField('base_url', `cannot be used: ${(error as Error).message.replace(/\.$/, '')}`)
    }
    return url.href.replace(/\/+$/, '')
  }

  async #demandFallback(db: Db, userId: number, fallbackId: number): Promise<void> {
    const [row] = await db.select({ id: aiConnections.id }).from(aiConnections).where(own(userId, fallbackId))
    if (row === undefined) throw noFallback()
  }

  async #find(userId: number, id: number): Promise<Row> {
    const [row] = await this.#parts.database.db.select().from(aiConnections).where(own(userId, id))
    if (row === undefined) throw notFound('AI connection', id)
    return row
  }

  async #change(
    userId: number,
    id: number,
    change: Partial<Pick<Row, 'model' | 'fallbackId'>>,
    db: Db = this.#parts.database.db,
  ): Promise<AiConnection> {
    const [row] = await db
      .update(aiConnections)
      .set({ ...change, updatedAt: sql`now()` })
      .where(own(userId, id))
      .returning()
    if (row === undefined) throw notFound('AI connection', id)
    return this.#show(row)
  }

  /** Asks the model a short question. Any answer will do. */
  async #check(userId: number, service: AiService | undefined, access: ModelAccess): Promise<void> {
    const prompt = [
      { role: 'user' as const, content: [{ type: 'text' as const, text: 'Answer with the word ok.' }] },
    ]
    const question = { prompt, maxOutputTokens: checkTokens, timeoutMs: checkTimeoutMs }
    const never = new AbortController().signal
    const name = service?.name ?? 'The provider'
    await this.#pace.run(userId, () =>
      this.#parts.providers
        .ask(access, question, never)
        .catch((error) => Promise.reject(publicError(name, error))),
    )
  }

  /** @throws {AppError} 409 if the key cannot be read */
  #open(row: Row): ModelAccess {
    try {
      return this.#access(row)
    } catch (cause) {
      throw new AppError(
        'resource_conflict',
        `The key of AI connection ${row.id} cannot be read. Delete the connection and create it again.`,
        { cause },
      )
    }
  }

  #accessOfRun(row: Row): ModelAccess {
    try {
      return this.#access(row)
    } catch (cause) {
      throw new UnreadableKey(row.id, cause)
    }
  }

  #access(row: Row): ModelAccess {
    const { serviceId, baseUrl, model, streaming } = row
    return {
      serviceId,
      baseUrl,
      model,
      streaming,
      apiKey: openKey(this.#parts.vault, row, row.credentials),
    }
  }

  #show({ credentials, ...row }: Row): AiConnection {
    try {
      return { ...row, keyEnding: keyEnding(openKey(this.#parts.vault, row, credentials)) }
    } catch {
      // Its owner must still see it, to delete it.
      return { ...row, keyEnding: null }
    }
  }
}

export class UnreadableKey extends Error {
  override name = 'UnreadableKey'

  constructor(id: number, cause: unknown) {
    super(`The key of AI connection ${id} cannot be read. Create the connection again.`, { cause })
  }
}

/** The error for the owner. */
function publicError(name: string, error: unknown): unknown {
  if (!(error instanceof ProviderFailure)) return error
  if (!mayFallBack(error.kind)) {
    return new AppError('request_invalid', `${name} rejected this connection: ${error.message}`, {
      details: [{ field: 'body', message: error.message }],
      cause: error,
    })
  }
  return new AppError(
    'service_unavailable',
    `${name} did not answer, so nothing was changed: ${error.message}`,
    { retryAfterSeconds: error.retryAfterSeconds ?? unreachableRetrySeconds, cause: error },
  )
}

/** At most a hundred of each kind. */
async function usersOf(tx: Db, userId: number, id: number) {
  const connections = await tx
    .select({ id: aiConnections.id, name: aiConnections.name })
    .from(aiConnections)
    .where(and(eq(aiConnections.fallbackId, id), eq(aiConnections.userId, userId)))
    .orderBy(asc(aiConnections.id))
    .limit(100)
  const thinkers = await tx
    .select({ id: strategies.id, name: strategies.name, type: strategies.type })
    .from(llmSettings)
    .innerJoin(strategies, eq(strategies.id, llmSettings.strategyId))
    .where(or(eq(llmSettings.connectionId, id), eq(llmSettings.fallbackId, id)))
    .orderBy(asc(strategies.id))
    .limit(100)
  return [
    ...connections.map((user) => ({ kind: 'AI connection', ...user })),
    ...thinkers.map(({ type, ...user }) => ({ kind: typeName(type), ...user })),
  ]
}

function noteConnection(note: Note, tx: Db, { id, serviceId, name }: Row): Promise<void> {
  return note(tx, { ai_connection_id: id, service_id: serviceId, name })
}

function own(userId: number, id: number) {
  return and(eq(aiConnections.id, id), eq(aiConnections.userId, userId))
}

function countOf(db: Db, userId: number): Promise<number> {
  return db.$count(aiConnections, eq(aiConnections.userId, userId))
}

function unknownService(): AppError {
  const known = aiServices.map(({ id, name }) => `${id} (${name})`).join(', ')
  return invalidField('service_id', `must be the id of an AI service: ${known}`)
}

function noFallback(): AppError {
  return invalidField('fallback_id', 'must be the id of another AI connection of yours')
}
