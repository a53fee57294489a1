import { readCcxtFacts } from '../../catalogue/facts/ccxt.ts'
import { conditionalCredentials } from '../../catalogue/facts/conditional-credentials.ts'
import type { Config } from '../../config.ts'
import { isCcxtError } from '../../market/live/ccxt-exchange.ts'
import type { CcxtAccount } from '../../market/live/ccxt-trading.ts'
import type { MarketVenue } from '../../market/price-source.ts'
import { openAccount } from './account.ts'
import { accountReason } from './reasons.ts'

/** With ccxt's names: `apiKey`, `secret`, `password`, `uid`, `walletAddress`, `privateKey` … */
export type Credentials = Record<string, string>

/** `unreachable`: the exchange did not answer, so the credentials may be valid. */
export type CredentialsCheck = { ok: true } | { ok: false; reason: string; unreachable?: boolean }

export type CheckOptions = {
  venue: MarketVenue
  credentials: Credentials
  endpoints: Config['exchangeEndpoints']
}

/**
 * The credentials that an exchange needs to accept an order, with ccxt's names, in alphabetical order. Empty for an
 * exchange that ccxt does not support.
 */
export function credentialFields(exchange: string): string[] {
  const facts = readCcxtFacts().find((fact) => fact.exchange === exchange && fact.type === 'CEX')
  return [...new Set([...(facts?.credentials ?? []), ...(conditionalCredentials[exchange] ?? [])])].sort()
}

/**
 * Checks credentials by reading the account's balance. The reason is a sentence for the account's owner. It never repeats
 * the credentials or the words of the exchange.
 */
export async function checkCredentials(options: CheckOptions): Promise<CredentialsCheck> {
  const missing = credentialFields(options.venue.exchange).filter((field) => !options.credentials[field])
  if (missing.length > 0)
    return { ok: false, reason: `These credentials are missing: ${missing.join(', ')}.` }
  try {
    const account = await openAccount(options)
    try {
      const { info } = (await balanceOf(account)) as { info?: { canTrade?: unknown } }
      if (info?.canTrade === false) return { ok: false, reason: 'This account is not allowed to trade.' }
    } finally {
      await account.close()
    }
    return { ok: true }
  } catch (error) {
    const unreachable = isCcxtError(error, 'NetworkError') && !isCcxtError(error, 'InvalidNonce')
    return { ok: false, reason: accountReason(error), unreachable }
  }
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
