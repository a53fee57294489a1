import { readRegistrations } from '../catalogue/facts/ids.ts'
import { tradedExchanges } from '../trading/live/dialects/index.ts'

/** The usual names of the exchanges on which live bots can trade, in the order of the catalogue. */
export function tradedNames(): string[] {
  const traded = readRegistrations().filter(
    ({ type, exchange }) => type === 'CEX' && tradedExchanges.includes(exchange),
  )
  return [...new Set(traded.map(({ name }) => name))]
}
