/** Whether an opening with cross margin would have used up the whole account before its stop is reached. */
import { decimal } from '../base/decimals.ts'
import { VenueUnreachable } from '../market/price-source.ts'
import type { MarketRules } from '../market/rules.ts'
import type { AccountReader } from './account.ts'
import { accountRefusal } from './liquidation.ts'
import type { StopOf } from './stop-loss.ts'
import type { Books, Position, Side } from './types.ts'

export type AccountWorth = Pick<AccountReader, 'equity' | 'positions' | 'balances'>

type Opening = { side: Side; price: string; size: string; stop: StopOf; position: Position }

/**
 * Asks the exchange only if the last known worth of the account says so, so a usual opening waits for nothing. It decides
 * nothing while another position or other coins could gain what this position loses, or if the exchange does not give the
 * worth of the account in the quote currency of the market.
 * @returns why the bot may not open, with both figures; `null` if it may, or if nobody can know
 */
export async function accountUsedUp(
  { books, account }: { books: Pick<Books, 'accountEquity'>; account?: AccountWorth },
  { service, symbol, quote }: Pick<MarketRules, 'service' | 'symbol' | 'quote'>,
  { side, price, size, stop, position }: Opening,
): Promise<string | null> {
  const stands = stop(price)
  if (service !== 'futures' || account === undefined || 'reason' in stands) return null
  const refusalAt = (equity: string, held: string) =>
    accountRefusal({ side, price, size, stop: stands.price }, { equity, held }, quote)
  const last = (await books.accountEquity?.()) ?? null
  if (last?.currency !== quote || refusalAt(last.amount, position.size) === null) return null
  try {
    const [equity, positions] = await Promise.all([account.equity(), account.positions()])
    const own = positions.find((one) => one.symbol === symbol)
    const isOther = own !== undefined && own.side !== (side === 'buy' ? 'long' : 'short')
    if (equity?.currency !== quote || isOther || positions.length > (own === undefined ? 0 : 1)) return null
    // Coins that serve as margin gain when a short loses.
    if (side === 'sell' && (await holdsCoins(account, quote))) return null
    return refusalAt(equity.amount, own?.size ?? '0')
  } catch (error) {
    if (error instanceof VenueUnreachable) return null
    throw error
  }
}

async function holdsCoins(account: AccountWorth, quote: string): Promise<boolean> {
  const balances = await account.balances()
  return balances.some(({ asset, total }) => asset !== quote && !decimal(total).eq('0'))
}
