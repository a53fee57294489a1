import { randomInt } from 'node:crypto'
import { and, eq, isNotNull, isNull, lt, sql } from 'drizzle-orm'
import { Secret, TOTP } from 'otpauth'
import { AppError } from '../base/errors.ts'
import type { Database, Db } from '../db/database.ts'
import { recoveryCodes, totpSecrets } from '../db/schema.ts'
import type { Vault } from '../secrets/vault.ts'

const issuer = 'Tickwright'
const periodSeconds = 30
/** A code may be this many steps early or late, because clocks differ. */
const window = 1
const secretBytes = 20
const recoveryCodeCount = 10
/** Without letters and digits that look alike. 12 of these have 59 bits. */
const recoveryAlphabet = 'abcdefghijkmnpqrstuvwxyz23456789'
const recoveryLength = 12

/** A secret for an authenticator app: as text, and as the URI of its QR code. */
export type NewSecret = { secret: string; uri: string }

/** The second factor: codes by time (TOTP, RFC 6238), and recovery codes. Each code is valid once. */
export class SecondFactor {
  #database: Database
  #vault: Vault
  #now: () => number

  /** @param now Unix milliseconds */
  constructor(database: Database, vault: Vault, now: () => number = Date.now) {
    this.#database = database
    this.#vault = vault
    this.#now = now
  }

  async isOn(userId: number): Promise<boolean> {
    const on = and(eq(totpSecrets.userId, userId), isNotNull(totpSecrets.enabledAt))
    return (await this.#database.db.$count(totpSecrets, on)) > 0
  }

  /**
   * Creates a secret. It has no effect until the user has sent a first code.
   * @throws {AppError} 409 if the second factor is on
   */
  async prepare(user: { id: number; email: string }): Promise<NewSecret> {
    const secret = new Secret({ size: secretBytes })
    const sealed = this.#vault.seal(Buffer.from(secret.bytes), purpose(user.id))
    const [row] = await this.#database.db
      .insert(totpSecrets)
      .values({ userId: user.id, secret: sealed })
      .onConflictDoUpdate({
        target: totpSecrets.userId,
        set: { secret: sealed, lastStep: 0 },
        setWhere: isNull(totpSecrets.enabledAt),
      })
      .returning({ userId: totpSecrets.userId })
    if (row === undefined) throw alreadyOn()
    return { secret: secret.base32, uri: generator(secret, user.email).toString() }
  }

  /**
   * Turns the second factor on with a first code.
   * @returns the recovery codes, which are shown only once; `undefined` for a wrong code
   * @throws {AppError} 409 if it is on, or there is no secret
   */
  async switchOn(tx: Db, userId: number, code: string): Promise<string[] | undefined> {
    const [row] = await tx.select().from(totpSecrets).where(eq(totpSecrets.userId, userId)).for('update')
    if (row === undefined) {
      throw new AppError(
        'resource_conflict',
        'There is no secret yet. Create one first: POST /api/v2/user/totp.',
      )
    }
    if (row.enabledAt !== null) throw alreadyOn()
    const step = this.#stepOf(row, code)
    if (step === undefined) return undefined
    await tx
      .update(totpSecrets)
      .set({ enabledAt: sql`now()`, lastStep: step })
      .where(eq(totpSecrets.userId, userId))
    return this.#renewRecoveryCodes(tx, userId)
  }

  /** @returns whether it was on */
  async switchOff(tx: Db, userId: number): Promise<boolean> {
    const [gone] = await tx.delete(totpSecrets).where(eq(totpSecrets.userId, userId)).returning()
    await tx.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId))
    return gone !== undefined && gone.enabledAt !== null
  }

  /**
   * Uses up a code. If two requests use the same one, one succeeds.
   * @returns the kind of the code; `undefined` for a wrong or used one
   */
  async use(userId: number, code: string): Promise<'code' | 'recovery' | undefined> {
    if (/^\d{6}$/.test(code)) return (await this.#useCode(userId, code)) ? 'code' : undefined
    const codeHash = this.#hash(userId, code)
    const used = await this.#database.db
      .delete(recoveryCodes)
      .where(and(eq(recoveryCodes.userId, userId), eq(recoveryCodes.codeHash, codeHash)))
      .returning({ userId: recoveryCodes.userId })
    return used.length > 0 ? 'recovery' : undefined
  }

  async #useCode(userId: number, code: string): Promise<boolean> {
    const { db } = this.#database
    const [row] = await db.select().from(totpSecrets).where(eq(totpSecrets.userId, userId))
    const step = row === undefined ? undefined : this.#stepOf(row, code)
    if (step === undefined) return false
    const used = await db
      .update(totpSecrets)
      .set({ lastStep: step })
      .where(and(eq(totpSecrets.userId, userId), lt(totpSecrets.lastStep, step)))
      .returning({ userId: totpSecrets.userId })
    return used.length > 0
  }

  /** The step of a code, if the code is valid now and was not used. */
  #stepOf(row: typeof totpSecrets.$inferSelect, code: string): number | undefined {
    const opened = this.#vault.open(row.secret, purpose(row.userId))
    // A copy, because a Buffer can be a view of a larger memory.
    const secret = new Secret({ buffer: Uint8Array.from(opened).buffer })
    const timestamp = this.#now()
    const delta = generator(secret, '').validate({ token: code, timestamp, window })
    if (delta === null) return undefined
    const step = TOTP.counter({ period: periodSeconds, timestamp }) + delta
    return step > row.lastStep ? step : undefined
  }

  async #renewRecoveryCodes(tx: Db, userId: number): Promise<string[]> {
    const codes = Array.from({ length: recoveryCodeCount }, makeRecoveryCode)
    await tx.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId))
    await tx
      .insert(recoveryCodes)
      .values(codes.map((code) => ({ userId, codeHash: this.#hash(userId, code) })))
    return codes
  }

  #hash(userId: number, code: string): Buffer {
    return this.#vault.hash(code.toLowerCase().replace(/[^a-z0-9]/g, ''), `recovery_code.${userId}`)
  }
}

function generator(secret: Secret, label: string): TOTP {
  return new TOTP({ issuer, label, secret, period: periodSeconds })
}

function purpose(userId: number): string {
  return `totp.${userId}`
}

function makeRecoveryCode(): string {
  const letters = Array.from({ length: recoveryLength }, () => recoveryAlphabet[randomInt(32)]).join('')
  return letters.replace(/(.{4})(?=.)/g, '$1-')
}

function alreadyOn(): AppError {
  return new AppError('resource_conflict', 'The second factor is already on. Turn it off first.')
}
