/** The books of a symbol as JSON: decimals become texts, and of the moves only the last of each kind stays. */
import { type Decimal, decimal, plain } from '../../base/decimals.ts'
import { noBooks, type SymbolBooks, type Trade } from '../../trading/statistics/trades.ts'

const amounts = [
  ...(['entered', 'entryValue', 'exited', 'exitValue', 'rest', 'restCost'] as const),
  ...(['largest', 'gross', 'fees'] as const),
]

type Stored = { size: string; cost: string; trade: Record<string, unknown> | null }

export function storedBooks({ holding, trade }: SymbolBooks): Record<string, unknown> {
  const stored: Stored = {
    size: plain(holding.size),
    cost: plain(holding.cost),
    trade: trade && storedTrade(trade),
  }
  return stored
}

/** @param stored as {@link storedBooks} wrote it; `undefined`: the symbol has no fills yet */
export function readBooks(stored: Record<string, unknown> | undefined): SymbolBooks {
  if (stored === undefined) return noBooks
  const { size, cost, trade } = stored as Stored
  return { holding: { size: decimal(size), cost: decimal(cost) }, trade: trade && readTrade(trade) }
}

function storedTrade(trade: Trade): Record<string, unknown> {
  return {
    ...trade,
    ...Object.fromEntries(amounts.map((name) => [name, plain(trade[name])])),
    uncounted: Object.fromEntries([...trade.uncounted].map(([asset, fee]) => [asset, plain(fee)])),
    entries: [trade.latestEntry],
    exits: trade.exits.slice(-1),
  }
}

function readTrade(stored: Record<string, unknown>): Trade {
  const uncounted = Object.entries(stored.uncounted as Record<string, string>)
  return {
    ...(stored as Trade),
    ...(Object.fromEntries(amounts.map((name) => [name, decimal(stored[name] as string)])) as Record<
      (typeof amounts)[number],
      Decimal
    >),
    uncounted: new Map(uncounted.map(([asset, fee]) => [asset, decimal(fee)])),
  }
}
