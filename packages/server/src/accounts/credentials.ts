import { eq } from 'drizzle-orm'
import { AppError } from '../base/errors.ts'
import type { Database } from '../db/database.ts'
import { users } from '../db/schema.ts'
import type { AuditLog } from './audit-log.ts'
import type { Background } from './background.ts'
import { type Guesses, whileGuessing } from './guesses.ts'
import { type AccountMailer, codeRefusedMail, lockedMail } from './mails.ts'
import type { Passwords } from './passwords.ts'
import type { SecondFactor } from './second-factor.ts'
import { normalEmail, type StoredUser, type User } from './user.ts'

export type CredentialsParts = {
  database: Database
  guesses: Guesses
  passwords: Passwords
  secondFactor: SecondFactor
  audit: AuditLog
  mailer: AccountMailer
  background: Background
}

/** Checks passwords and codes, and slows down guessing. */
export class Credentials {
  #parts: CredentialsParts

  constructor(parts: CredentialsParts) {
    this.#parts = parts
  }

  /**
   * @returns the user with this address and password
   * @throws {AppError} 401, the same for an unknown address and a wrong password; 403 for a disabled user; 429
   */
  async checkPassword(given: { email: string; password: string }, ip: string): Promise<StoredUser> {
    const email = normalEmail(given.email)
    const guess = await this.#parts.guesses.begin([
      { kind: 'password', value: email },
      { kind: 'address', value: ip },
    ])
    const user = (await this.#find(email)) ?? nobody
    const fits = await whileGuessing(guess, () =>
      this.#parts.passwords.verify(given.password, user.passwordHash || undefined),
    )
    if (!fits) {
      this.#refusedPassword(user, email, ip, guess.locks('password'))
      throw wrongPassword()
    }
    await guess.right()
    if (user.status !== 'ACTIVE') {
      throw new AppError('access_denied', 'This account is disabled. Ask an administrator.')
    }
    return user
  }

  /**
   * Uses up a code of the second factor.
   * @throws {AppError} 401 if it is wrong or was used; 429
   */
  async checkCode(user: User, code: string, ip: string): Promise<void> {
    const guess = await this.#parts.guesses.begin([
      { kind: 'code', value: String(user.id) },
      { kind: 'address', value: ip },
    ])
    const kind = await whileGuessing(guess, () => this.#parts.secondFactor.use(user.id, code))
    const { audit, mailer } = this.#parts
    const by = { userId: null, ip }
    if (kind === undefined) {
      await audit.record(user.id, 'code_refused', by)
      if (guess.locks('code')) await mailer.send(codeRefusedMail(user, ip))
      throw wrongCode()
    }
    await guess.right()
    if (kind === 'recovery') await audit.record(user.id, 'recovery_code_used', { userId: user.id, ip })
  }

  /**
   * Does nothing if the user's second factor is off. Otherwise uses up a code.
   * @throws {AppError} 401 if the code is missing, wrong or was used; 429
   */
  async checkSecondFactor(user: User, code: string | undefined, ip: string): Promise<void> {
    if (!(await this.#parts.secondFactor.isOn(user.id))) return
    if (code === undefined) {
      throw new AppError('auth_code_missing', 'A code of the second factor is required too.')
    }
    await this.checkCode(user, code, ip)
  }

  /**
   * The answer does not wait for this. It writes as much for an address without an account as for one with an account:
   * neither this answer nor the next may take longer if there is an account.
   */
  #refusedPassword(user: User, email: string, ip: string, locks: boolean): void {
    const { database, guesses, audit, mailer, background } = this.#parts
    const by = { userId: null, ip }
    background.start(async () => {
      await database.db.transaction(async (tx) => {
        // The user may have been deleted by now.
        const [held] = await tx
          .select({ id: users.id })
          .from(users)
          .where(eq(users.id, user.id))
          .for('key share')
        if (held === undefined) {
          return guesses.rehearse({ kind: 'password', value: email }, locks ? 3 : 1, tx)
        }
        await audit.record(user.id, 'password_refused', by, {}, tx)
        if (!locks) return
        await audit.record(user.id, 'locked', by, {}, tx)
        await mailer.send(lockedMail(user, ip), tx)
      })
      if (locks) background.start(async () => mailer.told())
    })
  }

  async #find(email: string) {
    const [user] = await this.#parts.database.db.select().from(users).where(eq(users.email, email))
    return user
  }
}

const nobody: StoredUser = {
  id: 0,
  email: '',
  name: '',
  passwordHash: '',
  role: 'user',
  status: 'DISABLED',
  limits: {},
  createdAt: new Date(0),
}

export function wrongCode(): AppError {
  return new AppError('auth_code', 'The code is wrong or was already used.')
}

export function wrongPassword(): AppError {
  return new AppError('auth_password', 'The e-mail address or the password is wrong.')
}
