/** Results of trade passes, for tests of reports. A test gives only the parts that it is about. */
import type { ClosedTrade, EquityPoint, Traded, TradedFill } from '../src/backtests/traded.ts'
import { plainSettings } from './trading.ts'

export const startMs = Date.UTC(2026, 0, 1)
const dayMs = 86_400_000

/** Equity at the closes of candles of a day each, from `startMs` on. `worst`: where it is not the lower of both closes. */
export function daysOfEquity(
  equities: readonly number[],
  worst: Readonly<Record<number, number>> = {},
): EquityPoint[] {
  return equities.map((equity, index) => ({
    timeMs: startMs + (index + 1) * dayMs,
    equity,
    worst: worst[index] ?? Math.min(equity, equities[index - 1] ?? equity),
  }))
}

/** A long position of size 1 for a day, entered at 100. */
export function closedTrade({ profit, ...given }: Partial<ClosedTrade> & { profit: number }): ClosedTrade {
  return {
    ...{ symbol: 'BTC/USDT', side: 'LONG', openedMs: startMs, closedMs: startMs + dayMs },
    ...{ entry: 100, exit: 100 + profit, size: 1, profit, fees: 0, reason: 'signal', ...given },
  }
}

export function tradedFill(given: Partial<TradedFill> = {}): TradedFill {
  return {
    ...{ timeMs: startMs, symbol: 'BTC/USDT', side: 'buy', size: 1, price: 100, fee: 0 },
    ...{ slippageCost: 0, spreadCost: 0, fundingCost: 0, realised: 0, positionAfter: 1, reason: 'signal' },
    ...given,
  }
}

/** A start equity of 1000, and candles of a day each at a constant price of 100 as long as the equity. */
export function tradedOf({ equity = [], ...given }: Partial<Traded>): Traded {
  const times = equity.map((_, index) => startMs + index * dayMs)
  const flat = times.map(() => 100)
  return {
    bot: { name: 'Bot', settings: plainSettings },
    quote: 'USDT',
    startMs,
    endMs: equity.at(-1)?.timeMs ?? startMs,
    startEquity: 1_000,
    equity,
    fills: [],
    closed: [],
    signals: [],
    candles: [{ symbol: 'BTC/USDT', timeMs: times, open: flat, high: flat, low: flat, close: flat }],
    ...given,
  }
}
