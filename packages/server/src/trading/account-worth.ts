/** Whether an opening with cross margin would have used up the whole account before its stop is reached. */
import { decimal } from '../base/decimals.ts'
import { VenueUnreachable } from '../market/price-source.ts'
import type { MarketRules } from '../market/rules.ts'
import type { AccountBalance, AccountEquity, AccountPosition } from './account.ts'
import { accountRefusal } from './liquidation.ts'
import type { StopOf } from './stop-loss.ts'
import type { Books, Position, Side } from './types.ts'

/**
 * What an account is worth, and what could gain there. All of them may throw {@link VenueUnreachable}. `balances`: absent
 * if nobody asks the exchange.
 */
export type AccountWorth = {
  equity(): Promise<AccountEquity | null>
  positions(): Promise<readonly Pick<AccountPosition, 'symbol' | 'side' | 'size'>[]>
  balances?(): Promise<readonly Pick<AccountBalance, 'asset' | 'total'>[]>
}

type Opening = { side: Side; price: string; size: string; stop: StopOf; position: Pick<Position, 'size'> }
type OfMarket = Pick<MarketRules, 'service' | 'symbol' | 'quote'>

/**
 * Asks the exchange only if the last known worth of the account says so, so a usual opening waits for nothing. It decides
 * nothing while another position or other coins could gain what this position loses, or if the exchange does not give the
 * worth of the account in the quote currency of the market.
 * @returns why the bot may not open, with both figures; `null` if it may, or if nobody can know
 */
export async function accountUsedUp(
  { books, account }: { books: Pick<Books, 'accountEquity'>; account?: AccountWorth },
  rules: OfMarket,
  opening: Opening,
): Promise<string | null> {
  if (account === undefined) return null
  const last = (await books.accountEquity?.()) ?? null
  if (usedUpAt(last, rules, opening) === null) return null
  const { symbol, quote } = rules
  const { side } = opening
  try {
    const [equity, positions] = await Promise.all([account.equity(), account.positions()])
    const own = positions.find((one) => one.symbol === symbol)
    const isOther = own !== undefined && own.side !== (side === 'buy' ? 'long' : 'short')
    if (equity?.currency !== quote || isOther || positions.length > (own === undefined ? 0 : 1)) return null
    const refusal = usedUpAt(equity, rules, { ...opening, position: { size: own?.size ?? '0' } })
    if (side === 'buy' || refusal === null) return refusal
    // Coins that serve as margin gain when a short loses.
    const balances = await account.balances?.()
    if (balances === undefined) return `${refusal} ${unlessCoins(quote)}`
    return holdsCoins(balances, quote) ? null : refusal
  } catch (error) {
    if (error instanceof VenueUnreachable) return null
    throw error
  }
}

/**
 * The same for one worth of the account, as if it held nothing else.
 * @param equity `null`: nobody knows it
 */
export function usedUpAt(
  equity: AccountEquity | null,
  { service, quote }: Omit<OfMarket, 'symbol'>,
  { side, price, size, stop, position }: Opening,
): string | null {
  const stands = stop(price)
  if (service !== 'futures' || 'reason' in stands || equity?.currency !== quote) return null
  const account = { equity: equity.amount, held: position.size }
  return accountRefusal({ side, price, size, stop: stands.price }, account, quote)
}

function holdsCoins(balances: readonly Pick<AccountBalance, 'asset' | 'total'>[], quote: string): boolean {
  return balances.some(({ asset, total }) => asset !== quote && !decimal(total).eq('0'))
}

/** Said by those who do not ask the exchange. */
function unlessCoins(quote: string): string {
  return `It opens even so if the account holds other coins than ${quote}, which could gain meanwhile.`
}
