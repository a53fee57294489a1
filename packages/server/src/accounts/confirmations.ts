import type { AuditLog } from './audit-log.ts'
import { wrongCode } from './credentials.ts'
import { type Guesses, whileGuessing } from './guesses.ts'
import type { SecondFactor } from './second-factor.ts'

export type ConfirmationsParts = {
  guesses: Guesses
  secondFactor: Pick<SecondFactor, 'isOn' | 'use'>
  audit: AuditLog
}

/** Has people who are known already, but not signed in, prove with their second factor that they want something. */
export class Confirmations {
  #parts: ConfirmationsParts

  constructor(parts: ConfirmationsParts) {
    this.#parts = parts
  }

  /** Whether a user has a second factor, so that a code is needed. */
  isNeeded(userId: number): Promise<boolean> {
    return this.#parts.secondFactor.isOn(userId)
  }

  /**
   * Uses up a code. Wrong ones count together with those at sign-in.
   * @throws {AppError} 401 if it is wrong or was used; 429
   */
  async check(userId: number, code: string): Promise<void> {
    const { guesses, secondFactor, audit } = this.#parts
    const guess = await guesses.begin([{ kind: 'code', value: String(userId) }])
    const by = { userId, ip: null }
    const kind = await whileGuessing(guess, () => secondFactor.use(userId, code))
    if (kind === undefined) {
      await audit.record(userId, 'code_refused', { ...by, userId: null })
      throw wrongCode()
    }
    await guess.right()
    if (kind === 'recovery') await audit.record(userId, 'recovery_code_used', by)
  }
}
