import { AppError } from '../base/errors.ts'
import type { Database } from '../db/database.ts'
import type { AuditLog } from './audit-log.ts'
import { type Credentials, wrongCode } from './credentials.ts'
import type { NewSecret, SecondFactor } from './second-factor.ts'
import type { User } from './user.ts'

export type SecondFactorSwitchParts = {
  database: Database
  audit: AuditLog
  credentials: Credentials
  secondFactor: SecondFactor
}

/** Lets users turn their second factor on and off. */
export class SecondFactorSwitch {
  #parts: SecondFactorSwitchParts

  constructor(parts: SecondFactorSwitchParts) {
    this.#parts = parts
  }

  isOn(userId: number): Promise<boolean> {
    return this.#parts.secondFactor.isOn(userId)
  }

  /** @throws {AppError} 401 for a wrong password; 409 if it is on; 429 */
  async prepare(user: User, password: string, ip: string): Promise<NewSecret> {
    await this.#parts.credentials.checkPassword({ email: user.email, password }, ip)
    return this.#parts.secondFactor.prepare(user)
  }

  /**
   * @returns the recovery codes, which are shown only once
   * @throws {AppError} 401 for a wrong code; 409 if it is on, or nothing was prepared
   */
  async switchOn(userId: number, code: string, ip: string): Promise<string[]> {
    const { database, secondFactor, audit } = this.#parts
    return database.db.transaction(async (tx) => {
      const codes = await secondFactor.switchOn(tx, userId, code)
      if (codes === undefined) throw wrongCode()
      await audit.record(userId, 'totp_on', { userId, ip }, {}, tx)
      return codes
    })
  }

  /** @throws {AppError} 401 for a wrong password or code; 409 if it is off; 429 */
  async switchOff(user: User, given: { password: string; code: string }, ip: string): Promise<void> {
    const { database, secondFactor, audit, credentials } = this.#parts
    await credentials.checkPassword({ email: user.email, password: given.password }, ip)
    if (!(await secondFactor.isOn(user.id))) {
      throw new AppError('resource_conflict', 'The second factor is off.')
    }
    await credentials.checkCode(user, given.code, ip)
    await database.db.transaction(async (tx) => {
      await secondFactor.switchOff(tx, user.id)
      await audit.record(user.id, 'totp_off', { userId: user.id, ip }, {}, tx)
    })
  }
}
