import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { and, asc, eq, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import { AppError, notFound } from '../base/errors.ts'
import type {
  Agent,
  Authenticate,
  Idempotency,
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
/** How long a node may go on with a key whose revocation it did not hear of. */
const cacheMs = 10_000

export type ApiKeyRow = Omit<typeof apiKeys.$inferSelect, 'secret' | 'publicKey'>

/** A key with what is shown once: `apiSecret` is `undefined` when the user keeps the private half. */
export type NewApiKey = ApiKeyRow & { apiSecret: string | undefined }

type Settings = { mcp?: McpAccess; idempotency?: Idempotency }

type KnownKey = {
  id: number
  principal: Principal
  mcp: McpAccess
  verification: VerificationKey
  lastUsedAtMs: number
}

/** The keys that requests are signed with: makes, rotates, revokes and checks them. */
export class ApiKeys {
  #database: Database
  #vault: Vault
  #limits: UserLimits
  #timestampToleranceSeconds: number
  /** `null` stands for a key that does not exist. */
  #known = new LRUCache<string, { key: KnownKey | null }>({ max: 10_000, ttl: cacheMs })
  /** How often anything was dropped: what was read before that may be old, and is not kept. */
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

  /** @param onRefused told of each request that names a key and is not signed with it */
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
   * @param publicKey the user's own ML-DSA-44 key; without one the service makes the pair
   * @throws {AppError} 400 for a key that is none, 409 when there are too many
   */
  async create(
    userId: number,
    wish: { name: string; algorithm: SignatureAlgorithm; publicKey?: string } & Settings,
    note: Note = noNote,
  ): Promise<NewApiKey> {
    const { apiSecret, columns } = this.#makeSecret(wish.algorithm, wish.publicKey)
    const { name, algorithm, mcp = 'read', idempotency = 'optional' } = wish
    const row = await this.#database.db.transaction(async (tx) => {
      await this.#limits.demandRoom(tx, userId, 'api_keys')
      const [row] = await tx
        .insert(apiKeys)
        .values({ userId, name, algorithm, mcp, idempotency, apiKey: makeApiKey(), ...columns })
        .returning()
      await noteKey(note, tx, row!)
      return row!
    })
    return { ...row, apiSecret }
  }

  /** Makes a key whose two halves are known already; `undefined` when that key exists. */
  async adopt(userId: number, name: string, apiKey: string, secret: string): Promise<ApiKeyRow | undefined> {
    const [row] = await this.#database.db
      .insert(apiKeys)
      .values({ userId, name, algorithm: 'HMAC', apiKey, secret: this.#vault.seal(secret, sealPurpose) })
      .onConflictDoNothing()
      .returning()
    return row
  }

  list(userId: number, window: { limit: number; offset: number }): Promise<ApiKeyRow[]> {
    return this.#database.db
      .select()
      .from(apiKeys)
      .where(eq(apiKeys.userId, userId))
      .orderBy(asc(apiKeys.id))
      .limit(window.limit)
      .offset(window.offset)
  }

  count(userId: number): Promise<number> {
    return this.#database.db.$count(apiKeys, eq(apiKeys.userId, userId))
  }

  /** What is left out stays. A change of more than the name is noted, and holds from the next request on. */
  async change(
    userId: number,
    id: number,
    wish: { name?: string } & Settings,
    note: Note = noNote,
  ): Promise<ApiKeyRow> {
    const isMoreThanName = wish.mcp !== undefined || wish.idempotency !== undefined
    const row = await this.#database.db.transaction(async (tx) => {
      const [row] = await tx
        .update(apiKeys)
        .set(wish)
        .where(and(eq(apiKeys.id, id), eq(apiKeys.userId, userId)))
        .returning()
      if (row === undefined) throw notFound('API key', id)
      if (isMoreThanName) await noteKey(note, tx, row)
      return row
    })
    if (isMoreThanName) await this.#forget(row.apiKey)
    return row
  }

  /** Gives the key a new secret; the old one is worth nothing from here on. */
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
      await noteKey(note, tx, row)
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
      await noteKey(note, tx, row)
      return row
    })
    await this.#forget(row.apiKey)
  }

  /** Reads the keys of a user anew from here on: role or status have changed, or the user is gone. */
  dropUser(userId: number): void {
    this.#drops++
    for (const [apiKey, { key }] of this.#known.entries()) {
      // What was no key a moment ago may be one of theirs, who is enabled again.
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

  /** As `authenticate`, with what the key lets agents do. */
  async authenticateAgent(request: SignedRequest): Promise<Agent> {
    return agentOf(await this.#signer(request))
  }

  /**
   * Finds out which agent shows this token, for MCP.
   * @throws {AppError} 401, the same for an unknown key and a wrong token
   */
  async authenticateToken(token: string, sender: SignedRequest['sender']): Promise<Agent> {
    const { apiKey, proof } = readMcpToken(token)
    const key = await this.#find(apiKey)
    const { verification } = key ?? { verification: nobodysKey }
    // A key without a secret has no token, and costs a comparison all the same.
    const secret = verification.algorithm === 'HMAC' ? verification.secret : nobodysSecret
    const valid = provesMcp(secret, proof) && secret !== nobodysSecret
    if (key !== null && valid) {
      this.#used(key)
      return agentOf(key)
    }
    if (key !== null) this.#noteRefusal(key, sender, 'auth_invalid')
    throw new AppError('auth_invalid', 'Not authenticated: this is no MCP token of an API key, or no longer.')
  }

  /** The key that a request is signed with; at once where it is known. */
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
    // An unknown key costs a comparison too, so that time does not tell which keys exist.
    const valid = verifySignature(key?.verification ?? nobodysKey, signed, signature)
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
    const [row] = await this.#database.db
      .select({ key: apiKeys, role: users.role })
      .from(apiKeys)
      .innerJoin(users, eq(users.id, apiKeys.userId))
      .where(and(eq(apiKeys.apiKey, apiKey), eq(users.status, 'ACTIVE')))
    const known: KnownKey | null =
      row === undefined
        ? null
        : {
            id: row.key.id,
            principal: {
              userId: row.key.userId,
              role: row.role,
              demandsIdempotencyKey: row.key.idempotency === 'required',
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

  /** Nobody waits for it, and a request is not refused because it could not be written. */
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

const nobodysSecret = randomBytes(32).toString('base64url')
const nobodysKey: VerificationKey = { algorithm: 'HMAC', secret: nobodysSecret }

/** No tool sends an `Idempotency-Key`, so that none can be demanded. */
function agentOf({ id, principal: { userId, role }, mcp }: KnownKey): Agent {
  return { principal: { userId, role }, apiKeyId: id, access: mcp }
}

function noteKey(note: Note, tx: Db, { id, name, apiKey, mcp, idempotency }: ApiKeyRow): Promise<void> {
  return note(tx, { api_key_id: id, name, api_key: apiKey, mcp, idempotency })
}

function makeApiKey(): string {
  return `tw_${randomBytes(18).toString('base64url')}`
}

function invalidPublicKey(problem: string): AppError {
  return new AppError('request_invalid', `Invalid request: body.public_key ${problem}.`, {
    details: [{ field: 'body.public_key', message: problem }],
  })
}
