/** How far the equity of a bot may fall below its highest. Decimals are in the quote currency of its books. */
import { type Decimal, decimal, one, plain } from '../base/decimals.ts'
import { readableMoney } from '../base/readable.ts'
import { unrealised } from './ledger.ts'
import type { DrawdownState, HeldPosition, ReachedDrawdown } from './types.ts'

const hundred = decimal('100')

/** The balance plus the unrealised profit of all open positions, or why nobody knows it, as a sentence without its end. */
export type Equity = { amount: string } | { unknown: string }

export type EquityInput = {
  startBalance: string | null
  /** All that the bot has realised, after fees. */
  realised: string
  held: readonly (HeldPosition & { price: string | null })[]
}

export function equityOf({ startBalance, realised, held }: EquityInput): Equity {
  if (startBalance === null) return { unknown: 'The start balance of the bot is not known yet' }
  let sum = decimal(startBalance, 'start balance').plus(decimal(realised))
  for (const { symbol, position, price } of held) {
    if (price === null) return { unknown: `There is no current price of ${symbol}` }
    sum = sum.plus(decimal(unrealised(position, price)))
  }
  return { amount: plain(sum) }
}

export type DrawdownInput = DrawdownState & {
  /** In percent. */
  maxDrawdown: string
  /** Now. `highest` includes it. */
  equity: Equity
}

/** The fall, if it has just reached the limit. */
export function drawdownReached(
  { maxDrawdown, equity, highest, stopped }: DrawdownInput,
  at: number,
): ReachedDrawdown | null {
  if (stopped !== null || highest === null || 'unknown' in equity) return null
  const peak = decimal(highest)
  if (!peak.gt('0')) return null
  // Exact: no division rounds.
  const least = peak.times(hundred.minus(decimal(maxDrawdown, 'max_drawdown')))
  if (decimal(equity.amount).times(hundred).gt(least)) return null
  return { at, equity: equity.amount, highest, maxDrawdown }
}

/** Why the bot may not open; `null` if it may. */
export function drawdownRefusal(input: DrawdownInput, quote: string): string | null {
  const { equity, highest, maxDrawdown, stopped } = input
  const reached = stopped ?? drawdownReached(input, 0)
  if (reached !== null && highest !== null) return stoppedReason({ ...reached, highest, maxDrawdown }, quote)
  if ('unknown' in equity)
    return `${equity.unknown}, so nobody knows the equity of the bot, and it opens nothing (max_drawdown).`
  if (highest === null)
    return 'The highest equity of the bot is not known yet, so it opens nothing (max_drawdown).'
  if (decimal(highest).gt('0')) return null
  const money = `${readableMoney(decimal(highest))} ${quote}`
  return `The highest equity of the bot is ${money}, of which no part can be lost, so it opens nothing (max_drawdown).`
}

/** @param maxDrawdown in percent; `null` if the owner has taken the limit away since */
export function stoppedReason(
  {
    equity,
    highest,
    maxDrawdown,
  }: Pick<ReachedDrawdown, 'equity' | 'highest'> & { maxDrawdown: string | null },
  quote: string,
): string {
  const money = (amount: string) => `${readableMoney(decimal(amount))} ${quote}`
  const fall = `${plain(fallPercent(highest, equity).round(2))} % below its highest of ${money(highest)}`
  const limit = maxDrawdown === null ? '' : ` from ${maxDrawdown} %,`
  return `The equity of the bot fell to ${money(equity)}, ${fall};${limit} it opens nothing until its owner resets it (max_drawdown).`
}

/** @param highest above 0 */
function fallPercent(highest: string, equity: string): Decimal {
  return one.minus(decimal(equity).div(decimal(highest))).times(hundred)
}
