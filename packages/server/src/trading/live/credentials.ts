import { decimal, plain } from '../../base/decimals.ts'
import { type CcxtFact, readCcxtFacts } from '../../catalogue/facts/ccxt.ts'
import { conditionalCredentials } from '../../catalogue/facts/conditional-credentials.ts'
import type { Config } from '../../config.ts'
import { isCcxtError } from '../../market/live/ccxt-exchange.ts'
import type { CcxtAccount } from '../../market/live/ccxt-trading.ts'
import type { MarketVenue } from '../../market/price-source.ts'
import type { AccountEquity, AccountFacts } from '../account.ts'
import { openAccount } from './account.ts'
import { unknownFacts } from './account-reader.ts'
import { type Dialect, UnfitAccount } from './dialects/dialect.ts'
import { dialectOf } from './dialects/index.ts'
import { accountReason } from './reasons.ts'
import { isTemporary } from './temporary-errors.ts'

/** With ccxt's names: `apiKey`, `secret`, `password`, `uid`, `walletAddress`, `privateKey` … */
export type Credentials = Record<string, string>

/**
 * `unreachable`: the exchange did not answer, so the credentials may be valid. `unread`: why the exchange did not say what
 * the account is like; the facts are unknown then.
 */
export type CredentialsCheck =
  | { ok: true; facts: AccountFacts; equity: AccountEquity | null; unread?: Unread }
  | { ok: false; reason: string; unreachable?: boolean }

/** `isTemporary`: the exchange may answer later. Otherwise it refused the question. */
export type Unread = { reason: string; isTemporary: boolean }

export type CheckOptions = {
  venue: MarketVenue
  credentials: Credentials
  endpoints: Config['exchangeEndpoints']
  /** Whether they are of the exchange's demo or testnet. */
  isDemo?: boolean
}

/**
 * The credentials that an exchange needs to accept an order, with ccxt's names, in alphabetical order. Empty for an
 * exchange that ccxt does not support.
 */
export function credentialFields(exchange: string, type: CcxtFact['type'] = 'CEX'): string[] {
  const facts = readCcxtFacts().find((fact) => fact.exchange === exchange && fact.type === type)
  return [...new Set([...(facts?.credentials ?? []), ...(conditionalCredentials[exchange] ?? [])])].sort()
}

/**
 * Checks credentials by reading the account's balance, and then reads what the exchange says about the account. The
 * reasons are sentences for the account's owner. They never repeat the credentials or the words of the exchange.
 */
export async function checkCredentials(options: CheckOptions): Promise<CredentialsCheck> {
  const missing = credentialFields(options.venue.exchange).filter((field) => !options.credentials[field])
  if (missing.length > 0)
    return { ok: false, reason: `These credentials are missing: ${missing.join(', ')}.` }
  try {
    const account = await openAccount(options)
    try {
      const balance = await balanceOf(account).catch(unlessUnfit)
      const { info } = balance as { info?: { canTrade?: unknown } }
      if (info?.canTrade === false) return { ok: false, reason: 'This account is not allowed to trade.' }
      return { ok: true, ...(await readFacts(account)), equity: await readEquity(account) }
    } finally {
      await account.close()
    }
  } catch (error) {
    return { ok: false, ...failureOf(error, dialectOf(options.venue.exchange)) }
  }
}

/** The key is right, and the facts say what to change. */
function unlessUnfit(error: unknown): object {
  if (error instanceof UnfitAccount) return {}
  throw error
}

/** An exchange may refuse a key these questions and still take its orders, so a failure is not one of the credentials. */
async function readFacts(account: CcxtAccount): Promise<{ facts: AccountFacts; unread?: Unread }> {
  try {
    return { facts: (await dialectOf(account.id)?.facts?.(account)) ?? unknownFacts }
  } catch (error) {
    const { reason, unreachable } = failureOf(error, dialectOf(account.id))
    // A gateway that does not serve the question, for example with 404, will not serve it later.
    const isRefused = isCcxtError(error, 'OperationFailed') && !isTemporary(error)
    return { facts: unknownFacts, unread: { reason, isTemporary: unreachable && !isRefused } }
  }
}

/** The equity is only for showing, and for the start balance of a bot that has none. */
async function readEquity(account: CcxtAccount): Promise<AccountEquity | null> {
  try {
    const equity = (await dialectOf(account.id)?.equity?.(account)) ?? null
    // The exchange chooses the text, and the database stores only numbers.
    return equity && { ...equity, amount: plain(decimal(equity.amount)) }
  } catch {
    return null
  }
}

function failureOf(error: unknown, dialect: Dialect | undefined): { reason: string; unreachable: boolean } {
  // Some exchanges report a failure of their own with a code that ccxt takes for a refusal.
  if (isCcxtError(error, 'ExchangeError') && dialect?.unsure?.test(String(error)) === true) {
    const reason = 'The exchange cannot answer now, because it has a failure of its own.'
    return { reason, unreachable: true }
  }
  const unreachable = isCcxtError(error, 'NetworkError') && !isCcxtError(error, 'InvalidNonce')
  return { reason: accountReason(error, dialect), unreachable }
}

/** Binance has two addresses for the balance, and a gateway may support only one of them. */
async function balanceOf(account: CcxtAccount): Promise<unknown> {
  try {
    return await account.fetchBalance()
  } catch (error) {
    if (!account.id.startsWith('binance') || !/ 404 /.test(String(error))) throw error
    return account.fetchBalance({ useV2: true })
  }
}
