import { decimal } from '../base/decimals.ts'
import { invalidField } from '../base/errors.ts'
import type { CatalogueExchange } from '../catalogue/catalogue.ts'
import { usualQuote } from '../catalogue/facts/usual-quotes.ts'
import type { BotSettings } from '../db/schema.ts'
import { parsePair } from '../market/simulated/pair.ts'
import { baseOfSymbols, currencyOfAmount, isOfEquity, sidesOf } from '../trading/amounts.ts'
import { defaultSettings } from './settings.ts'

/**
 * The settings of a new bot: the given ones and the defaults. Without a given currency, the amounts are in the common
 * quote currency of its symbols, or else in the usual one of its exchange.
 * @throws {AppError} 400 if the default amount does not fit the currency, the rate does not convert it, or an amount in
 * base currency could mean several
 */
export function settingsOfNewBot(
  given: Partial<BotSettings>,
  exchange: Pick<CatalogueExchange, 'exchange'>,
): BotSettings {
  const amountCurrency = given.amountCurrency ?? commonQuote(given.symbols ?? []) ?? usualQuote(exchange)
  const settings = { ...defaultSettings, ...given, amountCurrency }
  checkAmounts(settings)
  if (given.amount === undefined && !isDefaultFor(settings)) {
    const percent = 'percent of its equity'
    const inWords = {
      ...{ base: 'base currency', quote: amountCurrency },
      ...{ equity_percent: percent, risk_percent: percent },
    }
    const currency = inWords[settings.amountUnit]
    throw invalidField(
      'amount',
      `is required: the amounts of the bot are in ${currency}, and the default of ${defaultSettings.amount} is meant for dollars`,
    )
  }
  return settings
}

/**
 * @throws {AppError} 400 if `amountRate` cannot convert amounts in `amountCurrency`, an amount in base currency could mean
 * several, or one is more than the whole equity
 */
export function checkAmounts({ amount, amountUnit, amountCurrency, amountRate, symbols }: BotSettings): void {
  checkRate(amountCurrency, amountRate)
  if (isOfEquity(amountUnit) && decimal(amount).gt('100'))
    throw invalidField('amount', `must be at most 100, because it is percent of the equity; got ${amount}`)
  if (amountUnit !== 'base') return
  if (symbols.length === 0) {
    throw invalidField(
      'amount_unit',
      'cannot be base without `symbol`: an amount of 1 would be 1 BTC for one signal and 1 DOGE for the next; name the symbols that the bot trades',
    )
  }
  // A single symbol has one base currency, even if its spelling does not show which.
  if (symbols.length > 1 && baseOfSymbols(symbols) === null) {
    throw invalidField(
      'symbol',
      'must name symbols of one base currency, such as BTC/USDT,BTC/USDC, because amount_unit is base; use a bot for each base currency',
    )
  }
}

/**
 * @param isGiven whether the change gives an amount too
 * @throws {AppError} 400 if the change would make the same figure another amount, such as 100 BTC of 100 USDT
 */
export function checkSameAmount(before: BotSettings, after: BotSettings, isGiven: boolean): void {
  if (isGiven || meaningOf(before) === meaningOf(after)) return
  throw invalidField(
    'amount',
    `must be given too: it is ${amountText(before)}, and would become ${amountText(after)}`,
  )
}

function checkRate(amountCurrency: string, amountRate: string | null): void {
  if (amountRate === null) return
  const { base, quote } = sidesOf(amountRate)!
  if (base === amountCurrency || quote === amountCurrency) return
  throw invalidField(
    'amount_rate',
    `must be a market of the amount currency ${amountCurrency}, such as BTC/${amountCurrency}; got ${amountRate}`,
  )
}

/** Whether the default amount is one that nobody minds. */
function isDefaultFor({ amountUnit, amountCurrency }: BotSettings): boolean {
  return amountUnit === 'quote' && isDollarLike(amountCurrency)
}

/** Dollars, euros and coins that are worth one: 100 of one of them is about 100 of another. */
function isDollarLike(currency: string): boolean {
  return /USD|EUR/.test(currency)
}

function meaningOf(settings: BotSettings): string {
  const currency = currencyOfAmount(settings)
  if (isOfEquity(settings.amountUnit)) return settings.amountUnit
  if (settings.amountUnit === 'quote') return isDollarLike(currency!) ? 'dollars' : `quote ${currency}`
  return `base ${currency ?? settings.symbols.join().toUpperCase()}`
}

function amountText(settings: BotSettings): string {
  const { amount, amountUnit } = settings
  if (isOfEquity(amountUnit)) {
    return `${amount} % of the equity${amountUnit === 'risk_percent' ? ', as a loss at the stop' : ''}`
  }
  return `${settings.amount} ${currencyOfAmount(settings) ?? `in base currency of ${settings.symbols.join(', ')}`}`
}

/** The quote currency that all symbols show; `null` if one shows none, or they differ. */
function commonQuote(symbols: readonly string[]): string | null {
  const quotes = new Set(symbols.map((symbol) => parsePair(symbol)?.quote))
  const [quote] = quotes
  return quotes.size === 1 && quote !== undefined ? quote : null
}
