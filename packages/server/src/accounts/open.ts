import type { Database } from '../db/database.ts'
import type { UserLimits } from '../db/user-limits.ts'
import type { Vault } from '../secrets/vault.ts'
import { AccountTokens } from './account-tokens.ts'
import type { AuditLog } from './audit-log.ts'
import { Background } from './background.ts'
import { Confirmations } from './confirmations.ts'
import { Credentials } from './credentials.ts'
import { EmailChanges } from './email-changes.ts'
import { type AddressKind, Guesses } from './guesses.ts'
import { LimitChanges } from './limit-changes.ts'
import type { AccountMailer } from './mails.ts'
import { PasswordChanges } from './password-changes.ts'
import type { Passwords } from './passwords.ts'
import { SecondFactor } from './second-factor.ts'
import { SecondFactorSwitch } from './second-factor-switch.ts'
import { Sessions } from './sessions.ts'
import { SignIn } from './sign-in.ts'
import { SignUp, type SignUpMode } from './sign-up.ts'
import { Users, type UsersParts } from './users.ts'

export type AccountsParts = {
  database: Database
  vault: Vault
  limits: UserLimits
  mailer: AccountMailer
  audit: AuditLog
  passwords: Passwords
  /** The clock for codes, in Unix milliseconds; default: that of this machine. */
  now?: () => number
  /** The beginning of links in mails. */
  publicUrl: string
  signUp: SignUpMode
  hasMailServer: boolean
  demandBotsAreFree: UsersParts['demandBotsAreFree']
  onChanged: UsersParts['onChanged']
  onStopped: UsersParts['onStopped']
  onError(error: unknown): void
}

/** Builds everything about users, sessions and sign-in. */
export function openAccounts(parts: AccountsParts) {
  const { database, vault, limits, mailer, audit, passwords, publicUrl, onError } = parts
  const background = new Background(onError)
  const guesses = new Guesses(database, vault)
  const sessions = new Sessions(database, vault, limits)
  const tokens = new AccountTokens(database, vault)
  const secondFactor = new SecondFactor(database, vault, parts.now)
  /** What every part needs that proves who someone is, or mails a link for it. */
  const proof = { database, audit, mailer, guesses }
  const credentials = new Credentials({ ...proof, passwords, secondFactor, background })
  return {
    audit,
    sessions,
    credentials,
    confirmations: new Confirmations({ guesses, secondFactor, audit }),
    secondFactor: new SecondFactorSwitch({ database, audit, credentials, secondFactor }),
    signIn: new SignIn({ database, audit, credentials, sessions }),
    signUp: new SignUp({
      ...proof,
      ...{ limits, passwords, tokens, sessions, background, publicUrl },
      mode: parts.signUp,
    }),
    passwordChanges: new PasswordChanges({
      ...proof,
      ...{ credentials, passwords, secondFactor, tokens, sessions, background, publicUrl },
    }),
    emailChanges: new EmailChanges({
      ...proof,
      ...{ credentials, tokens, publicUrl },
      hasMailServer: parts.hasMailServer,
    }),
    users: new Users({
      ...{ database, secondFactor, audit },
      demandBotsAreFree: parts.demandBotsAreFree,
      onChanged: parts.onChanged,
      onStopped: parts.onStopped,
    }),
    limits: new LimitChanges({ database, limits, audit }),
    /** Throws 429 if this address must wait for every one of `kinds`. For use before the body is read. */
    refuseLocked: (kinds: readonly AddressKind[], ip: string) =>
      guesses.refuseLocked(kinds.map((kind) => ({ kind, value: ip }))),
    /** Finishes the work that answers did not wait for. */
    close: () => background.drain(),
  }
}

export type Accounts = ReturnType<typeof openAccounts>
