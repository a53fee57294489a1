/** The sentences in which reconciliation speaks to owners. */
import { decimal, plain } from '../../base/decimals.ts'
import type { Comparison } from '../../trading/reconcile.ts'
import type { BookedOutside } from '../outside-fills.ts'

export type Sizes = {
  base: string
  booksSize: string
  accountSize: string
  ignoredSize: string
}

/** What differs, with the numbers. */
export function differenceText(
  { base, booksSize, accountSize, ignoredSize }: Sizes,
  { difference }: Comparison,
  service: 'spot' | 'futures',
): string {
  const size = decimal(difference)
  if (service === 'spot') {
    return `The books of the bots on this account hold ${plain(size.abs())} ${base} more than the account, which has ${plain(decimal(accountSize))} ${base}. So the bot can sell at most what the account has.`
  }
  const ignored = decimal(ignoredSize).eq('0') ? '' : `, of which ${plain(decimal(ignoredSize))} are ignored`
  const what = size.gt('0') ? 'more' : 'less'
  return `The books hold ${plain(decimal(booksSize))} ${base}, and the account holds ${plain(decimal(accountSize))} ${base}${ignored}: ${plain(size.abs())} ${base} ${what} than expected, and no trade explains it.`
}

/** Orders that this service must have sent, and does not know; `null` if there are none. */
export function unknownOrdersText(ids: readonly string[]): string | null {
  if (ids.length === 0) return null
  const shown = ids.slice(0, 5).join(', ')
  const more = ids.length > 5 ? ` and ${ids.length - 5} more` : ''
  return `The account has open orders with ids of this service that the service does not know, perhaps because its database was restored from a backup: ${shown}${more}. Cancel them at the exchange.`
}

const causes = {
  external: 'traded at the exchange without the bot',
  liquidation: 'liquidated by the exchange',
  adl: 'closed by the exchange through auto-deleveraging',
  adopted: 'taken over from the account',
}

/** What the books took over. */
export function bookedText(base: string, executions: readonly BookedOutside[]): string {
  const parts = executions.map(({ side, size, price, kind }) => {
    return `${side === 'buy' ? 'bought' : 'sold'} ${size} ${base} at ${price} (${causes[kind]})`
  })
  const shown = parts.slice(0, 5).join('; ')
  const more = parts.length > 5 ? `; and ${parts.length - 5} more` : ''
  return `The books now count: ${shown}${more}.`
}
