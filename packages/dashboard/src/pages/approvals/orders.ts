/** What an approved action would make each bot do, before anybody approves it. */

import type { ApprovalInList } from '@tickwright/client'
import type { Follower } from '../../data/targets.ts'

type Asked = Pick<ApprovalInList, 'action' | 'symbols' | 'options'>

/** The size of what a bot would do: a number with its unit, or words. */
export type Size = { value: string; unit: string } | { words: string }

/** The size that a bot takes from the action, or its own. */
export function sizeFor({ action, symbols, options }: Asked, bot: Follower): Size {
  const counts = options.size !== undefined && (!bot.strict_amount || options.forceSize === true)
  if (action === 'EXIT') {
    if (!counts) return { words: 'the whole position' }
    return { value: exactText(options.size!), unit: baseOf(symbols) }
  }
  if (!counts) {
    const unit = bot.amount_unit === 'quote' ? bot.amount_currency : (bot.amount_in ?? baseOf(symbols))
    return { value: bot.amount, unit }
  }
  const sizeUnit = bot.size_unit ?? (bot.amount_unit === 'quote' ? 'quote' : null)
  if (sizeUnit === null) return { words: 'nothing: the size could mean either currency' }
  return {
    value: exactText(options.size!),
    unit: sizeUnit === 'quote' ? bot.amount_currency : baseOf(symbols),
  }
}

/** The size that the model chose, for a reader who has no bot; `null` if it chose none. */
export function chosenSize({ action, symbols, options }: Asked): Size | null {
  if (options.size === undefined) return null
  return {
    value: exactText(options.size),
    unit: action === 'EXIT' ? baseOf(symbols) : 'of the quote currency',
  }
}

/** A number as a plain decimal text: those of JSON may be as small as 1e-18, which looks like nothing when rounded. */
export function exactText(value: number): string {
  return new Intl.NumberFormat('en', { maximumSignificantDigits: 17, useGrouping: false }).format(value)
}

/** `BTC` of `BTC/USDT`. Of a symbol without a slash, nobody knows where its base ends. */
function baseOf(symbols: readonly string[]): string {
  const [first = ''] = symbols
  return symbols.length === 1 && first.includes('/')
    ? first.slice(0, first.indexOf('/'))
    : 'of the base currency'
}
