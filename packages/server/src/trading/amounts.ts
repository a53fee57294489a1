/**
 * The amounts of a bot are in one currency. A market that is quoted in another one is traded only if the bot names a
 * market that connects the two: its price converts the amounts.
 */
import { type Decimal, decimal } from '../base/decimals.ts'
import type { BotSettings } from '../db/schema.ts'

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

function isSame(one: string, other: string): boolean {
  return one.toUpperCase() === other.toUpperCase()
}
