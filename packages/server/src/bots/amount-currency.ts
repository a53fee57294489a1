import { invalidField } from '../base/errors.ts'
import type { CatalogueExchange } from '../catalogue/catalogue.ts'
import { usualQuote } from '../catalogue/facts/usual-quotes.ts'
import type { BotSettings } from '../db/schema.ts'
import { parsePair } from '../market/simulated/pair.ts'
import { sidesOf } from '../trading/amounts.ts'
import { defaultSettings } from './settings.ts'

/**
 * The settings of a new bot: the given ones and the defaults. Without a given currency, the amounts are in the common
 * quote currency of its symbols, or else in the usual one of its exchange.
 * @throws {AppError} 400 if the default amount does not fit the currency, or the rate does not convert it
 */
export function settingsOfNewBot(
  given: Partial<BotSettings>,
  exchange: Pick<CatalogueExchange, 'exchange'>,
): BotSettings {
  const amountCurrency = given.amountCurrency ?? commonQuote(given.symbols ?? []) ?? usualQuote(exchange)
  if (given.amount === undefined && !/USD|EUR/.test(amountCurrency)) {
    throw invalidField(
      'amount',
      `is required: the amounts of the bot are in ${amountCurrency}, and the default of ${defaultSettings.amount} is meant for dollars`,
    )
  }
  const settings = { ...defaultSettings, ...given, amountCurrency }
  checkRate(settings)
  return settings
}

/** @throws {AppError} 400 if `amountRate` cannot convert amounts in `amountCurrency` */
export function checkRate({ amountCurrency, amountRate }: BotSettings): void {
  if (amountRate === null) return
  const { base, quote } = sidesOf(amountRate)!
  if (base === amountCurrency || quote === amountCurrency) return
  throw invalidField(
    'amount_rate',
    `must be a market of the amount currency ${amountCurrency}, such as BTC/${amountCurrency}; got ${amountRate}`,
  )
}

/** The quote currency that all symbols show; `null` if one shows none, or they differ. */
function commonQuote(symbols: readonly string[]): string | null {
  const quotes = new Set(symbols.map((symbol) => parsePair(symbol)?.quote))
  const [quote] = quotes
  return quotes.size === 1 && quote !== undefined ? quote : null
}
