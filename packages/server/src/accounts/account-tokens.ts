import { randomBytes } from 'node:crypto'
import { and, eq, gt, type SQL, sql } from 'drizzle-orm'
import { AppError } from '../base/errors.ts'
import type { Database, Db } from '../db/database.ts'
import { accountTokens } from '../db/schema.ts'
import type { Vault } from '../secrets/vault.ts'

export type AccountToken = Omit<typeof accountTokens.$inferSelect, 'tokenHash'>
export type TokenKind = AccountToken['kind']

type NewToken = Pick<AccountToken, 'kind' | 'userId' | 'email' | 'role'> & { hours: number }

const tokenForm = /^[\w-]{43}$/

/** The tokens in the links of mails. A token is 32 random bytes and valid once; the database has only its hash. */
export class AccountTokens {
  #database: Database
  #vault: Vault

  constructor(database: Database, vault: Vault) {
    this.#database = database
    this.#vault = vault
  }

  async make({ hours, ...settings }: NewToken, tx: Db = this.#database.db) {
    const token = randomBytes(32).toString('base64url')
    const [row] = await tx
      .insert(accountTokens)
      .values({
        ...settings,
        tokenHash: this.#hash(token),
        expiresAt: sql`now() + make_interval(hours => ${hours})`,
      })
      .returning()
    return { token, row: row! }
  }

  /** @throws {AppError} 400 if the token is invalid, was used or has expired */
  async read(kind: TokenKind, token: string): Promise<AccountToken> {
    const found = tokenForm.test(token)
      ? await this.#database.db.select().from(accountTokens).where(this.#valid(kind, token))
      : []
    if (found[0] === undefined) throw invalidToken()
    return found[0]
  }

  /**
   * Uses up a token. If two requests use it at once, one succeeds.
   * @throws {AppError} 400 if the token is invalid, was used or has expired
   */
  async take(tx: Db, kind: TokenKind, token: string): Promise<AccountToken> {
    const [taken] = await tx.delete(accountTokens).where(this.#valid(kind, token)).returning()
    if (taken === undefined) throw invalidToken()
    return taken
  }

  #valid(kind: TokenKind, token: string): SQL | undefined {
    return and(
      eq(accountTokens.tokenHash, this.#hash(token)),
      eq(accountTokens.kind, kind),
      gt(accountTokens.expiresAt, sql`now()`),
    )
  }

  #hash(token: string): Buffer {
    return this.#vault.hash(token, 'account_token')
  }
}

export function invalidToken(): AppError {
  return new AppError(
    'token_invalid',
    'This link is not valid any more: it was used, has expired or was withdrawn.',
  )
}
