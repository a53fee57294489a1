import { readRegistrations } from '../catalogue/facts/ids.ts'
import { tradedExchanges } from '../trading/live/dialects/index.ts'

const traded = readRegistrations().filter(
  ({ type, exchange }) => type === 'CEX' && tradedExchanges.includes(exchange),
)

/** The usual names of the exchanges on which live bots can trade, in the order of the catalogue. */
export const tradedNames: readonly string[] = [...new Set(traded.map(({ name }) => name))]
