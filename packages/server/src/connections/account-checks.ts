import { CheckPace } from '../base/check-pace.ts'
import { AppError } from '../base/errors.ts'
import type { StoredFacts } from '../db/schema.ts'
import type { AccountEquity, AccountFacts } from '../trading/account.ts'
import type { CredentialsCheck } from '../trading/live/credentials.ts'
import { dialectOf } from '../trading/live/dialects/index.ts'
import type { Credentials } from './credentials.ts'
import { tradedNames } from './traded-exchanges.ts'

/** Most exchanges are reachable again by then; the others are under maintenance for longer. */
const unreachableRetrySeconds = 10

/** An account at an exchange. `name` is the usual name of the exchange. */
export type CheckedAccount = {
  exchange: { exchange: string; service: string; name: string }
  credentials: Credentials
  isDemo: boolean
}

/** What the exchange said about an account. `facts` is `null` if it did not say what the account is like. */
export type Findings = { facts: StoredFacts | null; equity: AccountEquity | null }

export type CheckCredentials = (
  venue: { exchange: string; service: string },
  account: { credentials: Credentials; isDemo: boolean },
) => Promise<CredentialsCheck>

export type AccountChecksOptions = {
  checkCredentials: CheckCredentials
  /** Whether users may connect accounts with keys that may withdraw. */
  allowWithdrawalKeys: boolean
}

/** Asks exchanges about accounts, at a limited rate, and refuses what bots cannot trade with. */
export class AccountChecks {
  #options: AccountChecksOptions
  #pace = new CheckPace()

  constructor(options: AccountChecksOptions) {
    this.#options = options
  }

  /**
   * Checks an account that its owner wants to connect.
   * @throws {AppError} 400 if the exchange or this installation refuses it, 429 after too many checks, 503 if the
   * exchange is unreachable
   */
  async ofNew(userId: number, account: CheckedAccount): Promise<Findings> {
    const { name } = account.exchange
    const outcome = await this.#ask(userId, account, 'nothing was stored')
    if (!outcome.ok) throw refused(`${name} rejects these credentials: ${outcome.reason}`, outcome.reason)
    const findings = findingsOf(outcome)
    if (this.#mayNotWithdraw(account) && outcome.unread?.isTemporary === true) {
      throw unreachable(name, 'nothing was stored', outcome.unread.reason)
    }
    const forbidden = this.#withdrawalRefusal(account, findings)
    if (forbidden !== undefined) throw refused(forbidden, forbidden)
    return findings
  }

  /**
   * Asks whether bots can trade with an account as it is now.
   * @param store gets what the exchange said, whether bots can trade or not
   * @throws {AppError} 409 that says what to change, 429 after too many checks, 503 if the exchange is unreachable
   */
  async forTrading(
    userId: number,
    account: CheckedAccount,
    store: (findings: Findings) => Promise<void>,
  ): Promise<void> {
    const { exchange, name } = account.exchange
    if (dialectOf(exchange) === undefined) throw conflict([notTraded(name)])
    const outcome = await this.#ask(userId, account, 'the bot stays as it is')
    if (!outcome.ok) throw conflict([`${name} rejects the credentials of the connection: ${outcome.reason}`])
    // If the exchange refuses the question for good, asking later does not help, and orders may work all the same.
    if (outcome.unread?.isTemporary === true) {
      throw unreachable(name, 'the bot stays as it is', outcome.unread.reason)
    }
    const findings = findingsOf(outcome)
    await store(findings)
    const { facts } = findings
    const forbidden = this.#withdrawalRefusal(account, findings)
    const problems = [
      ...(facts?.obstacles ?? []),
      ...(facts?.mayTrade === false ? [mayNotTrade] : []),
      ...(forbidden === undefined ? [] : [forbidden]),
    ]
    if (problems.length > 0) throw conflict(problems)
  }

  async #ask(userId: number, account: CheckedAccount, consequence: string) {
    const { exchange, credentials, isDemo } = account
    const venue = { exchange: exchange.exchange, service: exchange.service }
    const outcome = await this.#pace.run(userId, () =>
      this.#options.checkCredentials(venue, { credentials, isDemo }),
    )
    if (!outcome.ok && outcome.unreachable === true) {
      throw unreachable(exchange.name, consequence, outcome.reason)
    }
    return outcome
  }

  /** A demo account has nothing worth withdrawing. */
  #mayNotWithdraw({ isDemo }: CheckedAccount): boolean {
    return !this.#options.allowWithdrawalKeys && !isDemo
  }

  #withdrawalRefusal(account: CheckedAccount, { facts }: Findings): string | undefined {
    if (!this.#mayNotWithdraw(account) || facts?.mayWithdraw !== true) return undefined
    return 'The key may withdraw, and this installation refuses such keys. Create one that may only read and trade.'
  }
}

/** Why nothing can be switched on with a key. */
const mayNotTrade = 'The key may not trade. Allow trading at the exchange, or create another key.'

/** @param account its warnings: sentences for its owner */
export function warningsOf(account: {
  exchange: { exchange: string; name: string } | undefined
  isDemo: boolean
  facts: StoredFacts | null
}): string[] {
  const { exchange, isDemo, facts } = account
  if (exchange !== undefined && dialectOf(exchange.exchange) === undefined) return [notTraded(exchange.name)]
  if (facts === null) {
    return [
      'The exchange has not said what the key may do. The service asks again when a bot uses the connection.',
    ]
  }
  return [
    ...(facts.mayTrade === false ? [mayNotTrade] : []),
    ...(facts.mayWithdraw === true && !isDemo
      ? ['The key may withdraw. Replace it with one that may only read and trade.']
      : []),
    ...(facts.isIpRestricted === false
      ? ['The key works from every IP address. Restrict it to the address of this machine.']
      : []),
    ...(facts.positionMode === 'hedge'
      ? [
          'The account is in hedge mode, in which it can hold a long and a short of one symbol. Prefer one-way mode: a bot holds only one of the two.',
        ]
      : []),
  ]
}

function notTraded(name: string): string {
  return `Live bots cannot trade on ${name}. They can trade on ${tradedNames.join(', ')}.`
}

function findingsOf({ facts, unread, equity }: CredentialsCheck & { ok: true }): Findings {
  return { facts: unread === undefined ? storable(facts) : null, equity }
}

/** The longest name that a record shows. */
const nameLimit = 100

/** The exchange chooses these two texts, and the database stores no NUL. */
export function storable(facts: AccountFacts): StoredFacts {
  const clean = (text: string | null) => text?.replace(/\p{Cc}/gu, '').slice(0, nameLimit) ?? null
  return { ...facts, accountId: clean(facts.accountId), accountType: clean(facts.accountType) }
}

function refused(message: string, reason: string): AppError {
  return new AppError('request_invalid', message, { details: [{ field: 'body', message: reason }] })
}

function conflict(problems: string[]): AppError {
  const details = problems.map((message) => ({ message }))
  return new AppError('resource_conflict', problems.join(' '), { details })
}

function unreachable(name: string, consequence: string, reason: string): AppError {
  return new AppError('service_unavailable', `${name} could not be reached, and ${consequence}: ${reason}`, {
    retryAfterSeconds: unreachableRetrySeconds,
  })
}
