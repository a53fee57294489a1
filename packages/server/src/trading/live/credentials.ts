import { readCcxtFacts } from '../../catalogue/facts/ccxt.ts'
import { conditionalCredentials } from '../../catalogue/facts/conditional-credentials.ts'
import type { Config } from '../../config.ts'
import { isCcxtError } from '../../market/live/ccxt-exchange.ts'
import type { CcxtAccount } from '../../market/live/ccxt-trading.ts'
import type { MarketVenue } from '../../market/price-source.ts'
import { openAccount } from './account.ts'
import { accountReason } from './words.ts'

/** By ccxt's names: `apiKey`, `secret`, `password`, `uid`, `walletAddress`, `privateKey` … */
export type Credentials = Record<string, string>

/** `unreachable`: the exchange has said nothing of them. */
export type CredentialsCheck = { ok: true } | { ok: false; reason: string; unreachable?: boolean }

export type CheckOptions = {
  venue: MarketVenue
  credentials: Credentials
  endpoints: Config['exchangeEndpoints']
}

/**
 * The credentials that an exchange needs before it takes an order, in alphabetical order, by ccxt's names.
 * Empty for an exchange that ccxt does not have.
 */
export function credentialFields(exchange: string): string[] {
  const demanded = readCcxtFacts().find((fact) => fact.exchange === exchange && fact.type === 'CEX')
  return [...new Set([...(demanded?.credentials ?? []), ...(conditionalCredentials[exchange] ?? [])])].sort()
}

/**
 * Asks the exchange for the account's balance. A reason is a sentence for the account's owner, and never repeats
 * what was given or what the exchange said.
 */
export async function checkCredentials(options: CheckOptions): Promise<CredentialsCheck> {
  const missing = credentialFields(options.venue.exchange).filter((field) => !options.credentials[field])
  if (missing.length > 0) return { ok: false, reason: `It needs ${missing.join(', ')}.` }
  try {
    const account = await openAccount(options)
    try {
      const { info } = (await balanceOf(account)) as { info?: { canTrade?: unknown } }
      if (info?.canTrade === false) return { ok: false, reason: 'The account may not trade.' }
    } finally {
      await account.close()
    }
    return { ok: true }
  } catch (error) {
    const unreachable = isCcxtError(error, 'NetworkError') && !isCcxtError(error, 'InvalidNonce')
    return { ok: false, reason: accountReason(error), unreachable }
  }
}

/** Binance has it at two addresses, of which a gateway may know one. */
async function balanceOf(account: CcxtAccount): Promise<unknown> {
  try {
    return await account.fetchBalance()
  } catch (error) {
    if (!account.id.startsWith('binance') || !/ 404 /.test(String(error))) throw error
    return account.fetchBalance({ useV2: true })
  }
}
