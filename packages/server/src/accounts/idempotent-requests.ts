import { randomUUID, timingSafeEqual } from 'node:crypto'
import { and, eq, sql } from 'drizzle-orm'
import { AppError } from '../base/errors.ts'
import { latestUsed } from '../base/latest-used.ts'
import type { Database } from '../db/database.ts'
import { idempotentRequests as table } from '../db/schema.ts'
import type { Vault } from '../secrets/vault.ts'

/** The first answer to a request. */
type KeptAnswer = { status: number; contentType: string; etag?: string | undefined; body: Buffer }

/** The longest answer that is kept. No changing route answers as much. */
const answerByteLimit = 1024 * 1024
/** Limits for the keys and answers of one user from the last 24 hours. */
const mostKeys = 100_000
const mostAnswerBytes = 256 * 1024 * 1024
/** How long a node uses its own count of a user's keys. */
const usageMs = 60_000
/** After this long without an answer, the process of a request has died, or nobody waits for it any more. */
const underWaySeconds = 30

const isOver = sql`${table.claimedAt} < now() - interval '24 hours'`

type Usage = { keys: number; answerBytes: number }
type Place = { userId: number; key: string; claim: string }

/**
 * Remembers which requests took effect, and their answers. A key belongs to one user, with any API key or session, and
 * is free again after 24 hours. A row claims the key before its request is carried out. So of many requests at once, on
 * all nodes, only one is carried out. If its process dies, the row stays, and no repetition is carried out.
 */
export class IdempotentRequests {
  #database: Database
  #vault: Vault
  #usage = latestUsed<number, Usage>(10_000, usageMs)

  constructor(database: Database, vault: Vault) {
    this.#database = database
    this.#vault = vault
  }

  /**
   * @param request the text that must be equal in a repetition
   * @returns the claim, or the first answer if the key was used before
   * @throws {AppError} 409 if the key belongs to another request, or to one without an answer; 429 if the user has too
   * many keys
   */
  async claim(userId: number, key: string, request: string) {
    const fingerprint = this.#vault.hash(request, 'idempotent_request')
    const place = { userId, key, claim: randomUUID() }
    const usage = await this.#usageOf(userId)
    const hasRoom = usage.keys < mostKeys && usage.answerBytes < mostAnswerBytes
    // A row may disappear between the two statements: its request was withdrawn, or it is over a day old.
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

  /** Takes the key, also from a request that is over a day old. */
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

  /** @returns the first answer; `undefined` if the key is free */
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

  /** Changes nothing if another request has taken the key meanwhile. */
  async #set(place: Place, change: { state: 'ANSWERED' | 'UNKNOWN'; answer?: Buffer }): Promise<void> {
    await this.#database.db.update(table).set(change).where(isClaim(place))
  }

  /** Counts in the database once a minute, and in memory in between: exact enough for a limit. */
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

/** Binds an answer to its row: in another row, it cannot be decrypted. */
function purposeOf(claim: string): string {
  return `idempotent_request ${claim}`
}

/** A first line with the headers, then the body. No value of a header contains a tab or a new line. */
function writeAnswer({ status, contentType, etag, body }: KeptAnswer): Buffer {
  const tag = etag === undefined ? '' : `\t${etag}`
  return Buffer.concat([Buffer.from(`${status} ${contentType}${tag}\n`), body])
}

function readAnswer(bytes: Buffer): KeptAnswer {
  const end = bytes.indexOf('\n')
  const head = bytes.subarray(0, end).toString()
  const [status = ''] = head.split(' ', 1)
  const [contentType = '', etag] = head.slice(status.length + 1).split('\t')
  return { status: Number(status), contentType, etag, body: bytes.subarray(end + 1) }
}

function reused(): AppError {
  return new AppError(
    'idempotency_key_reused',
    'This Idempotency-Key belongs to another request of the last 24 hours: its method, address, If-Match or body differs. Use a new key.',
  )
}

function underWay(): AppError {
  return new AppError(
    'idempotency_under_way',
    'The first request with this Idempotency-Key is still in progress. Try again in a moment.',
    { retryAfterSeconds: 1 },
  )
}

function outcomeUnknown(): AppError {
  return new AppError(
    'idempotency_outcome_unknown',
    'A request with this Idempotency-Key was started, but its answer was lost: it may have taken effect. The service does not carry it out again. Check whether it took effect; if it did not, send it with a new key.',
  )
}

function tooMany({ keys }: Usage): AppError {
  return new AppError(
    'rate_limited',
    `Too many idempotency keys: ${keys} within 24 hours. At most ${mostKeys} are allowed, with answers of at most ${mostAnswerBytes} bytes in total.`,
    { retryAfterSeconds: 60 },
  )
}
