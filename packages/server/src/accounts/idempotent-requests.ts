import { randomUUID, timingSafeEqual } from 'node:crypto'
import { and, eq, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import { AppError } from '../base/errors.ts'
import type { Database } from '../db/database.ts'
import { idempotentRequests as table } from '../db/schema.ts'
import type { Vault } from '../secrets/vault.ts'

/** An answer as it was first given. */
type KeptAnswer = { status: number; contentType: string; body: Buffer }

/** Longest answer that is kept; no route that changes something answers as much. */
const answerByteLimit = 1024 * 1024
/** What one user may have of keys, and of answers, from the last 24 hours. */
const mostKeys = 100_000
const mostAnswerBytes = 256 * 1024 * 1024
/** How long a node may go on with what it knows of a user's keys. */
const usageMs = 60_000
/** A request whose answer is not there after this long has died with its process, or will not be waited for. */
const underWaySeconds = 30

const isOver = sql`${table.claimedAt} < now() - interval '24 hours'`

type Usage = { keys: number; answerBytes: number }
type Place = { userId: number; key: string; claim: string }

/**
 * Which requests took effect once, and how they were answered. A key is one user's, whichever API key or session they
 * use, and free again after 24 hours. It is claimed by a row before its request is carried out, so that of many
 * requests at once, on all nodes, one is; if its process dies, the row stays, and no repeat is carried out.
 */
export class IdempotentRequests {
  #database: Database
  #vault: Vault
  #usage = new LRUCache<number, Usage>({ max: 10_000, ttl: usageMs })

  constructor(database: Database, vault: Vault) {
    this.#database = database
    this.#vault = vault
  }

  /**
   * @param request what a repeat has to be equal in
   * @returns what the key stands for already, where it does
   * @throws {AppError} 409 when the key stands for another request, or for one whose answer is not there; 429 when
   * the user has too many keys
   */
  async claim(userId: number, key: string, request: string) {
    const fingerprint = this.#vault.hash(request, 'idempotent_request')
    const place = { userId, key, claim: randomUUID() }
    const usage = await this.#usageOf(userId)
    const hasRoom = usage.keys < mostKeys && usage.answerBytes < mostAnswerBytes
    // A row may go between the two statements: its request was withdrawn, or its day is over.
    for (let attempt = 0; attempt < 3; attempt++) {
      if (hasRoom && (await this.#insert(place, fingerprint))) {
        usage.keys++
        return this.#claimOf(place)
      }
      const kept = await this.#read(place, fingerprint)
      if (kept !== undefined) return kept
      if (!hasRoom) throw tooMany(usage)
    }
    throw underWay()
  }

  #claimOf(place: Place) {
    return {
      answered: (answer: KeptAnswer) => this.#keep(place, answer),
      withdrawn: async () => {
        const usage = this.#usage.get(place.userId)
        if (usage !== undefined) usage.keys--
        await this.#database.db.delete(table).where(isClaim(place))
      },
      unknown: () => this.#set(place, { state: 'UNKNOWN' }),
    }
  }

  /** Takes the key, also from a request whose day is over. */
  async #insert({ userId, key, claim }: Place, fingerprint: Buffer): Promise<boolean> {
    const taken = await this.#database.db
      .insert(table)
      .values({ userId, key, claim, fingerprint })
      .onConflictDoUpdate({
        target: [table.userId, table.key],
        set: { claim, fingerprint, state: 'UNDER_WAY', answer: null, claimedAt: sql`now()` },
        setWhere: isOver,
      })
      .returning({ claim: table.claim })
    return taken.length > 0
  }

  /** @returns the first answer; `undefined` where the key is free */
  async #read({ userId, key }: Place, fingerprint: Buffer): Promise<KeptAnswer | undefined> {
    const [row] = await this.#database.db
      .select({
        claim: table.claim,
        fingerprint: table.fingerprint,
        state: table.state,
        answer: table.answer,
        isLate: sql<boolean>`${table.claimedAt} < now() - make_interval(secs => ${underWaySeconds})`,
      })
      .from(table)
      .where(and(eq(table.userId, userId), eq(table.key, key), sql`not ${isOver}`))
    if (row === undefined) return undefined
    if (!timingSafeEqual(row.fingerprint, fingerprint)) throw reused()
    if (row.answer !== null) return readAnswer(this.#vault.open(row.answer, purposeOf(row.claim)))
    throw row.state === 'UNKNOWN' || row.isLate ? outcomeUnknown() : underWay()
  }

  async #keep(place: Place, answer: KeptAnswer): Promise<void> {
    if (answer.body.length > answerByteLimit) {
      await this.#set(place, { state: 'UNKNOWN' })
      return
    }
    const sealed = this.#vault.seal(writeAnswer(answer), purposeOf(place.claim))
    await this.#set(place, { state: 'ANSWERED', answer: sealed })
    const usage = this.#usage.get(place.userId)
    if (usage !== undefined) usage.answerBytes += sealed.length
  }

  /** A key that another request has taken meanwhile is left to it. */
  async #set(place: Place, change: { state: 'ANSWERED' | 'UNKNOWN'; answer?: Buffer }): Promise<void> {
    await this.#database.db.update(table).set(change).where(isClaim(place))
  }

  /** Counted in the database once a minute, and from there on here: a bound for what grows, exact enough. */
  async #usageOf(userId: number): Promise<Usage> {
    const known = this.#usage.get(userId)
    if (known !== undefined) return known
    const [counted] = await this.#database.db
      .select({
        keys: sql`count(*)`.mapWith(Number),
        answerBytes: sql`coalesce(sum(octet_length(${table.answer})), 0)`.mapWith(Number),
      })
      .from(table)
      .where(and(eq(table.userId, userId), sql`not ${isOver}`))
    this.#usage.set(userId, counted!)
    return counted!
  }
}

function isClaim({ userId, key, claim }: Place) {
  return and(eq(table.userId, userId), eq(table.key, key), eq(table.claim, claim))
}

/** Binds an answer to its row: in another one it cannot be read. */
function purposeOf(claim: string): string {
  return `idempotent_request ${claim}`
}

function writeAnswer({ status, contentType, body }: KeptAnswer): Buffer {
  return Buffer.concat([Buffer.from(`${status} ${contentType}\n`), body])
}

function readAnswer(bytes: Buffer): KeptAnswer {
  const end = bytes.indexOf('\n')
  const head = bytes.subarray(0, end).toString()
  const [status = ''] = head.split(' ', 1)
  return { status: Number(status), contentType: head.slice(status.length + 1), body: bytes.subarray(end + 1) }
}

function reused(): AppError {
  return new AppError(
    'idempotency_key_reused',
    'This Idempotency-Key stands for another request of the last 24 hours: method, address or body differ. Take a new key.',
  )
}

function underWay(): AppError {
  return new AppError(
    'idempotency_under_way',
    'The first request with this Idempotency-Key is still under way; ask again.',
    { retryAfterSeconds: 1 },
  )
}

function outcomeUnknown(): AppError {
  return new AppError(
    'idempotency_outcome_unknown',
    'A request with this Idempotency-Key was begun, and its answer was lost: it may have taken effect. It is not carried out again. Read what is there, and if it did not, send it with a new key.',
  )
}

function tooMany({ keys }: Usage): AppError {
  return new AppError(
    'rate_limited',
    `Too many idempotency keys: ${keys} within 24 hours, of at most ${mostKeys}, with answers of at most ${mostAnswerBytes} bytes in all.`,
    { retryAfterSeconds: 60 },
  )
}
