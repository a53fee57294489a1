/**
 * The amounts of a bot are in one currency. A market that is quoted in another one is traded only if the bot names a
 * market that connects the two: its price converts the amounts.
 *
 * The amount of an opening may be in base currency instead, and so may the sizes of signals. Nothing ever guesses which:
 * 1 BTC is not 1 USDT.
 */
import { type Decimal, decimal, plain } from '../base/decimals.ts'
import type { BotSettings, EquityUnit } from '../db/schema.ts'
import { parsePair } from '../market/simulated/pair.ts'

export type AmountSettings = Pick<BotSettings, 'amountCurrency' | 'amountRate'>

/** `divides`: amounts of the bot are divided by the price of the market, because the market is quoted in their currency. */
export type Conversion = { market: string; divides: boolean }

/** A conversion at the current price of its market. */
export type AmountRate = Conversion & { price: string }

/** How the amounts of a bot convert to a quote currency: `null` if they are in it, or the reason why they do not. */
export function conversionOf(
  { amountCurrency, amountRate }: AmountSettings,
  { symbol, quote }: { symbol: string; quote: string },
): Conversion | null | { reason: string } {
  if (isSame(quote, amountCurrency)) return null
  const difference = `The amounts of the bot are in ${amountCurrency}, and ${symbol} is quoted in ${quote}.`
  if (amountRate === null) return { reason: difference }
  const sides = sidesOf(amountRate)
  if (sides !== null && isSame(sides.base, quote) && isSame(sides.quote, amountCurrency)) {
    return { market: amountRate, divides: true }
  }
  if (sides !== null && isSame(sides.base, amountCurrency) && isSame(sides.quote, quote)) {
    return { market: amountRate, divides: false }
  }
  return { reason: `${difference} The market ${amountRate} (amount_rate) does not connect the two.` }
}

/** The currencies of a market such as `BTC/USDT` or `BTC/USDT:USDT`; `null` for a text of any other form. */
export function sidesOf(market: string): { base: string; quote: string } | null {
  const [, base, quote] = /^([A-Z\d]{1,20})\/([A-Z\d]{1,20})(?::[A-Z\d]{1,20})?$/i.exec(market) ?? []
  return base === undefined || quote === undefined ? null : { base, quote }
}

/** An amount of the bot in the quote currency of the market. @param rate `null` if both are in the same currency */
export function toQuote(amount: Decimal, rate: AmountRate | null): Decimal {
  if (rate === null) return amount
  const price = decimal(rate.price, 'price')
  return rate.divides ? amount.div(price) : amount.times(price)
}

/** An amount of quote currency in the currency of the bot's amounts. */
export function fromQuote(amount: Decimal, rate: AmountRate | null): Decimal {
  return toQuote(amount, rate === null ? null : { ...rate, divides: !rate.divides })
}

export type OpeningSettings = Pick<
  BotSettings,
  'symbols' | 'amount' | 'amountUnit' | 'sizeUnit' | 'amountCurrency'
>

/**
 * What an opening order is for: an amount in quote currency, which `amountCurrency` names, or in base currency, or percent
 * of the equity, which it is worth or which it may lose.
 */
export type OpeningAmount = {
  amount: Decimal
  unit: BotSettings['amountUnit']
  /** Whether `quote` is the quote currency of the market, whatever the amounts of the bot are in. */
  isOfMarket?: boolean
}

/**
 * @param size the size of the signal that counts; `null`: the bot uses its own amount
 * @param signalUnit what the signal says its size is in; `undefined`: nothing
 * @returns the amount, or the reason why it is ambiguous
 */
export function openingAmount(
  size: Decimal | null,
  settings: OpeningSettings,
  { symbol, base, quote }: { symbol: string; base: string; quote: string },
  signalUnit?: 'base' | 'quote',
): OpeningAmount | { reason: string } {
  const { amount, amountUnit, sizeUnit } = settings
  if (size === null) {
    const own = amountUnit === 'base' ? baseOfSymbols(settings.symbols) : null
    if (own !== null && !isSame(own, base)) {
      return { reason: `The amount of the bot is in ${own}, and ${symbol} trades ${base}.` }
    }
    return { amount: decimal(amount, 'amount'), unit: amountUnit }
  }
  if (signalUnit !== undefined) return { amount: size, unit: signalUnit, isOfMarket: true }
  const unit = sizeUnit ?? (amountUnit === 'quote' ? 'quote' : null)
  if (unit !== null) return { amount: size, unit }
  const own = isOfEquity(amountUnit) ? 'a part of its equity' : 'in base currency'
  return {
    reason: `The size ${plain(size)} of the signal could mean ${base} or ${quote}: the amount of the bot is ${own} (amount_unit), and the bot does not say what sizes are in. Set its size_unit, or strict_amount to ignore sizes.`,
  }
}

/** Whether an amount in this unit is percent of the equity of the bot. */
export function isOfEquity(unit: BotSettings['amountUnit']): unit is EquityUnit {
  return unit === 'equity_percent' || unit === 'risk_percent'
}

/** The currency of `amount`, or `%`; `null` if it is a base currency that the spelling of the symbols does not show. */
export function currencyOfAmount({ symbols, amountUnit, amountCurrency }: OpeningSettings): string | null {
  if (isOfEquity(amountUnit)) return '%'
  return amountUnit === 'quote' ? amountCurrency : baseOfSymbols(symbols)
}

/** The base currency that the spelling of all these symbols shows; `null` if one shows none, or they differ. */
export function baseOfSymbols(symbols: readonly string[]): string | null {
  const bases = new Set(symbols.map((symbol) => parsePair(symbol)?.base))
  const [base] = bases
  return bases.size === 1 && base !== undefined ? base : null
}

function isSame(one: string, other: string): boolean {
  return one.toUpperCase() === other.toUpperCase()
}
