import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { and, asc, eq, sql } from 'drizzle-orm'
import { AppError, notFound } from '../base/errors.ts'
import { latestUsed } from '../base/latest-used.ts'
import type {
  Agent,
  Authenticate,
  Idempotency,
  KeyScope,
  McpAccess,
  Principal,
  SignedRequest,
} from '../base/principal.ts'
import type { Database, Db } from '../db/database.ts'
import { apiKeys, users } from '../db/schema.ts'
import { UserLimits } from '../db/user-limits.ts'
import type { Vault } from '../secrets/vault.ts'
import { type Note, noNote } from './audit-log.ts'
import { provesMcp, readMcpToken } from './mcp-token.ts'
import type { Refusal } from './refusals.ts'
import {
  isUnambiguous,
  isWholeSeconds,
  mlDsaKeyObject,
  rawMlDsaPublicKey,
  readMlDsaPublicKey,
  type SignatureAlgorithm,
  type VerificationKey,
  verifySignature,
} from './signature.ts'
import { headersMissing, requestAmbiguous, signatureRefused, timestampRefused } from './unauthenticated.ts'
import { usersChannel } from './users.ts'

const sealPurpose = 'api_key'
const changesChannel = 'tickwright_api_keys'
const lastUsedResolutionMs = 60_000
/** How long a node may still accept a revoked key if it missed the message about it. */
const cacheMs = 10_000

export type ApiKeyRow = Omit<typeof apiKeys.$inferSelect, 'secret' | 'publicKey'>

/** A key with its secret, which is shown once. `apiSecret` is `undefined` if the user keeps the private half. */
export type NewApiKey = ApiKeyRow & { apiSecret: string | undefined }

type Settings = { mcp?: McpAccess; idempotency?: Idempotency; scope?: KeyScope }

type KnownKey = {
  id: number
  principal: Principal
  mcp: McpAccess
  verification: VerificationKey
  lastUsedAtMs: number
}

/** Creates, rotates, revokes and checks the keys that sign requests. */
export class ApiKeys {
  #database: Database
  #vault: Vault
  #limits: UserLimits
  #timestampToleranceSeconds: number
  /** `null` stands for a key that does not exist. */
  #known = latestUsed<string, { key: KnownKey | null }>(10_000, cacheMs)
  /** Counts the drops: a key that was read before the latest one may be out of date, and is not cached. */
  #drops = 0
  #onRefused: (refusal: Refusal) => void

  private constructor(
    database: Database,
    vault: Vault,
    timestampToleranceSeconds: number,
    onRefused: (refusal: Refusal) => void,
    limits: UserLimits,
  ) {
    this.#database = database
    this.#vault = vault
    this.#limits = limits
    this.#timestampToleranceSeconds = timestampToleranceSeconds
    this.#onRefused = onRefused
  }

  /** @param onRefused called for each request that names a key but has no valid signature of it */
  static async open(
    database: Database,
    vault: Vault,
    timestampToleranceSeconds: number,
    onRefused: (refusal: Refusal) => void = () => undefined,
    limits = new UserLimits(),
  ): Promise<ApiKeys> {
    const keys = new ApiKeys(database, vault, timestampToleranceSeconds, onRefused, limits)
    await database.listen(changesChannel, (apiKey) => keys.#drop(apiKey))
    await database.listen(usersChannel, (userId) => keys.dropUser(Number(userId)))
    return keys
  }

  /**
   * Without a `publicKey` of the user, creates the pair for ML-DSA.
   * @throws {AppError} 400 for an invalid public key; 409 if there are too many keys
   */
  async create(
    userId: number,
    settings: { name: string; algorithm: SignatureAlgorithm; publicKey?: string } & Settings,
    note: Note = noNote,
  ): Promise<NewApiKey> {
    const { apiSecret, columns } = this.#makeSecret(settings.algorithm, settings.publicKey)
    const { name, algorithm, mcp = 'read', idempotency = 'optional', scope = 'all' } = settings
    const row = await this.#database.db.transaction(async (tx) => {
      await this.#limits.demandRoom(tx, userId, 'api_keys')
      const [row] = await tx
        .insert(apiKeys)
        .values({ userId, name, algorithm, mcp, idempotency, scope, apiKey: makeApiKey(), ...columns })
        .returning()
      await recordKey(note, tx, row!)
      return row!
    })
    return { ...row, apiSecret }
  }

  /** Stores a key from the settings. @returns `undefined` if the key already exists */
  async adopt(userId: number, name: string, apiKey: string, secret: string): Promise<ApiKeyRow | undefined> {
    const [row] = await this.#database.db
      .insert(apiKeys)
      .values({ userId, name, algorithm: 'HMAC', apiKey, secret: this.#vault.seal(secret, sealPurpose) })
      .onConflictDoNothing()
      .returning()
    return row
  }

  list(userId: number, window: { limit: number; offset: number }): Promise<ApiKeyRow[]> {
    const { db, read } = this.#database
    return read('api_keys', { userId, ...window }, ({ userId, limit, offset }) =>
      db
        .select()
        .from(apiKeys)
        .where(eq(apiKeys.userId, userId))
        .orderBy(asc(apiKeys.id))
        .limit(limit)
        .offset(offset),
    )
  }

  count(userId: number): Promise<number> {
    return this.#database.count(apiKeys, { userId }, ({ userId }) => eq(apiKeys.userId, userId))
  }

  /** Changes the given fields. A change of more than the name is recorded, and applies from the next request on. */
  async change(
    userId: number,
    id: number,
    changes: { name?: string } & Settings,
    note: Note = noNote,
  ): Promise<ApiKeyRow> {
    const { mcp, idempotency, scope } = changes
    const isMoreThanName = mcp !== undefined || idempotency !== undefined || scope !== undefined
    const row = await this.#database.db.transaction(async (tx) => {
      const [row] = await tx
        .update(apiKeys)
        .set(changes)
        .where(and(eq(apiKeys.id, id), eq(apiKeys.userId, userId)))
        .returning()
      if (row === undefined) throw notFound('API key', id)
      if (isMoreThanName) await recordKey(note, tx, row)
      return row
    })
    if (isMoreThanName) await this.#forget(row.apiKey)
    return row
  }

  /** Gives the key a new secret; the old one stops working at once. */
  async rotate(userId: number, id: number, publicKey?: string, note: Note = noNote): Promise<NewApiKey> {
    const own = and(eq(apiKeys.id, id), eq(apiKeys.userId, userId))
    const [current] = await this.#database.db.select().from(apiKeys).where(own)
    if (current === undefined) throw notFound('API key', id)
    const { apiSecret, columns } = this.#makeSecret(current.algorithm, publicKey)
    const row = await this.#database.db.transaction(async (tx) => {
      const [row] = await tx
        .update(apiKeys)
        .set({ ...columns, rotatedAt: sql`now()` })
        .where(own)
        .returning()
      if (row === undefined) throw notFound('API key', id)
      await recordKey(note, tx, row)
      return row
    })
    await this.#forget(row.apiKey)
    return { ...row, apiSecret }
  }

  async revoke(userId: number, id: number, note: Note = noNote): Promise<void> {
    const row = await this.#database.db.transaction(async (tx) => {
      const [row] = await tx
        .delete(apiKeys)
        .where(and(eq(apiKeys.id, id), eq(apiKeys.userId, userId)))
        .returning()
      if (row === undefined) throw notFound('API key', id)
      await recordKey(note, tx, row)
      return row
    })
    await this.#forget(row.apiKey)
  }

  /** Drops the cached keys of a user whose role or status has changed, or who was deleted. */
  dropUser(userId: number): void {
    this.#drops++
    for (const [apiKey, { key }] of this.#known.entries()) {
      // A key that was unknown a moment ago may belong to this user, who is enabled again.
      if (key === null || key.principal.userId === userId) this.#known.delete(apiKey)
    }
  }

  /**
   * Finds out who signed a request.
   * @throws {AppError} 401, the same for an unknown key and a wrong signature
   */
  authenticate: Authenticate = (request) => {
    const key = this.#signer(request)
    return key instanceof Promise ? key.then(({ principal }) => principal) : key.principal
  }

  /** Like `authenticate`, but also returns the rights of agents that use the key. */
  async authenticateAgent(request: SignedRequest): Promise<Agent> {
    return agentOf(await this.#signer(request))
  }

  /**
   * Finds out which agent sent a bearer token, for MCP.
   * @throws {AppError} 401, the same for an unknown key and a wrong token
   */
  async authenticateToken(token: string, sender: SignedRequest['sender']): Promise<Agent> {
    const { apiKey, proof } = readMcpToken(token)
    const key = await this.#find(apiKey)
    const { verification } = key ?? { verification: unknownKey }
    // A key without an HMAC secret has no token. It costs a comparison anyway, so that time reveals nothing.
    const secret = verification.algorithm === 'HMAC' ? verification.secret : unknownSecret
    const valid = provesMcp(secret, proof) && secret !== unknownSecret
    if (key !== null && valid) {
      this.#used(key)
      return agentOf(key)
    }
    if (key !== null) this.#noteRefusal(key, sender, 'auth_invalid')
    throw new AppError(
      'auth_invalid',
      'Not authenticated: the MCP token is invalid, or its API key has a new secret.',
    )
  }

  /** The key that signed a request; without waiting if the key is cached. */
  #signer(request: SignedRequest): KnownKey | Promise<KnownKey> {
    const { apiKey, signature, timestamp } = request
    if (apiKey === undefined || signature === undefined || timestamp === undefined) {
      throw headersMissing(request)
    }
    const key = this.#find(apiKey)
    if (!(key instanceof Promise)) return this.#check(key, request, signature, timestamp)
    return key.then((loaded) => this.#check(loaded, request, signature, timestamp))
  }

  #find(apiKey: string): KnownKey | null | Promise<KnownKey | null> {
    const known = this.#known.get(apiKey)
    return known === undefined ? this.#load(apiKey) : known.key
  }

  #check(key: KnownKey | null, request: SignedRequest, signature: string, timestamp: string): KnownKey {
    const { method, path, body, mayLeaveBodyUnsigned } = request
    const signed = { method, path, body, timestamp, mayLeaveBodyUnsigned }
    // An unknown key costs a comparison too, so that time does not reveal which keys exist.
    const valid = verifySignature(key?.verification ?? unknownKey, signed, signature)
    if (key === null) throw signatureRefused()
    if (!valid) {
      this.#noteRefusal(key, request.sender, 'auth_invalid')
      throw signatureRefused()
    }
    const now = Date.now()
    const offSeconds = Math.abs(now / 1000 - Number(timestamp))
    if (!isWholeSeconds(timestamp) || offSeconds > this.#timestampToleranceSeconds) {
      this.#noteRefusal(key, request.sender, 'auth_timestamp')
      throw timestampRefused(timestamp, now, this.#timestampToleranceSeconds)
    }
    if (!isUnambiguous(signed)) throw requestAmbiguous()
    this.#used(key, now)
    return key
  }

  #used(key: KnownKey, now = Date.now()): void {
    if (now - key.lastUsedAtMs < lastUsedResolutionMs) return
    key.lastUsedAtMs = now
    this.#noteUse(key.id)
  }

  #noteRefusal(key: KnownKey, sender: SignedRequest['sender'], reason: Refusal['reason']): void {
    this.#onRefused({ userId: key.principal.userId, apiKeyId: key.id, reason, ip: sender.ip })
  }

  async #load(apiKey: string): Promise<KnownKey | null> {
    const drops = this.#drops
    const { db, read } = this.#database
    const [row] = await read('key_that_signs', { apiKey }, ({ apiKey }) =>
      db
        .select({ key: apiKeys, role: users.role })
        .from(apiKeys)
        .innerJoin(users, eq(users.id, apiKeys.userId))
        .where(and(eq(apiKeys.apiKey, apiKey), eq(users.status, 'ACTIVE'))),
    )
    const known: KnownKey | null =
      row === undefined
        ? null
        : {
            id: row.key.id,
            principal: {
              userId: row.key.userId,
              role: row.role,
              apiKeyId: row.key.id,
              demandsIdempotencyKey: row.key.idempotency === 'required',
              scope: row.key.scope,
            },
            mcp: row.key.mcp,
            verification: this.#verificationKey(row.key),
            lastUsedAtMs: row.key.lastUsedAt?.getTime() ?? 0,
          }
    if (drops === this.#drops) this.#known.set(apiKey, { key: known })
    return known
  }

  #verificationKey(row: typeof apiKeys.$inferSelect): VerificationKey {
    return row.algorithm === 'HMAC'
      ? { algorithm: 'HMAC', secret: this.#vault.open(row.secret!, sealPurpose).toString() }
      : { algorithm: 'ML-DSA', publicKey: mlDsaKeyObject(row.publicKey!) }
  }

  /** No request waits for this, and none is refused if it fails. */
  #noteUse(id: number): void {
    this.#database.db
      .update(apiKeys)
      .set({ lastUsedAt: sql`now()` })
      .where(eq(apiKeys.id, id))
      .catch(() => undefined)
  }

  #drop(apiKey: string): void {
    this.#drops++
    this.#known.delete(apiKey)
  }

  async #forget(apiKey: string): Promise<void> {
    this.#drop(apiKey)
    await this.#database.notify(changesChannel, apiKey)
  }

  #makeSecret(algorithm: SignatureAlgorithm, publicKey: string | undefined) {
    if (algorithm === 'HMAC') {
      if (publicKey !== undefined) throw invalidPublicKey('is only for the algorithm ML-DSA')
      const apiSecret = randomBytes(32).toString('base64url')
      return { apiSecret, columns: { secret: this.#vault.seal(apiSecret, sealPurpose), publicKey: null } }
    }
    if (publicKey !== undefined) {
      const raw = readMlDsaPublicKey(publicKey)
      if (raw === undefined)
        throw invalidPublicKey('must be an ML-DSA-44 key in Base64: 1,312 bytes raw, or SPKI')
      return { apiSecret: undefined, columns: { secret: null, publicKey: raw } }
    }
    const pair = generateKeyPairSync('ml-dsa-44')
    const apiSecret = pair.privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')
    return { apiSecret, columns: { secret: null, publicKey: rawMlDsaPublicKey(pair.publicKey) } }
  }
}

const unknownSecret = randomBytes(32).toString('base64url')
const unknownKey: VerificationKey = { algorithm: 'HMAC', secret: unknownSecret }

/** Without `demandsIdempotencyKey`: the tools of agents send no `Idempotency-Key`. */
function agentOf({ id, principal: { userId, role, scope = 'all' }, mcp }: KnownKey): Agent {
  return { principal: { userId, role, apiKeyId: id, isAgent: true, scope }, apiKeyId: id, access: mcp }
}

function recordKey(note: Note, tx: Db, row: ApiKeyRow): Promise<void> {
  const { id, name, apiKey, mcp, idempotency, scope } = row
  return note(tx, { api_key_id: id, name, api_key: apiKey, mcp, idempotency, scope })
}

function makeApiKey(): string {
  return `tw_${randomBytes(18).toString('base64url')}`
}

function invalidPublicKey(problem: string): AppError {
  return new AppError('request_invalid', `Invalid request: body.public_key ${problem}.`, {
    details: [{ field: 'body.public_key', message: problem }],
  })
}
