import { Decimal, decimal, plain } from '../../packages/server/src/base/decimals.ts'
import type { BotSettings } from '../../packages/server/src/db/schema.ts'
import type { Candles } from '../../packages/server/src/market/simulated/candle-file.ts'
import { indexAt } from '../../packages/server/src/market/simulated/replayed-price.ts'
import { simulatedRules } from '../../packages/server/src/market/simulated/rules.ts'
import { replay, replayCandles } from '../../packages/server/src/trading/replay.ts'
import { Outcomes } from '../../packages/server/src/trading/statistics/outcomes.ts'
import { countFill, netOf, noBooks } from '../../packages/server/src/trading/statistics/trades.ts'
import type { Decision } from './decide.ts'

/** What the decisions came to. Money is in the quote currency, as decimal strings; percentages have two decimals. */
export type Traded = {
  trades: number
  won: number
  lost: number
  fees: string
  startBalance: string
  equity: string
  returnPercent: string
  /** The change of the price in the same time. */
  heldPercent: string
  open: boolean
}

/** A paper bot with the usual fee and slippage, which opens with a tenth of its balance. */
const settings: BotSettings = {
  ...{
    symbols: [],
    amount: '1000',
    amountUnit: 'quote',
    sizeUnit: null,
    amountCurrency: 'USDT',
    amountRate: null,
  },
  ...{ strictAmount: false, feeRate: '0.001', slippageRate: '0.0005', startBalance: '10000' },
  ...{ maxPosition: null, maxDailyLoss: null, onLimit: 'stop', cooldownSeconds: null },
  ...{
    maxSignalAgeSeconds: null,
    direction: 'both',
    maxOpenPositions: null,
    maxDrawdown: null,
    delaySeconds: 0,
  },
}

/**
 * Trades the decisions on paper, over the candles until a time: each at the first opening price after the model had
 * answered.
 */
export async function trade(
  candles: Candles,
  decisions: readonly Decision[],
  { symbol, since, until }: { symbol: string; since: number; until: number },
): Promise<Traded> {
  const rules = simulatedRules({ exchange: 'binance', service: 'spot' }, symbol)
  const signals = decisions.map(({ at, action, size }) => ({
    ...{ at, action, options: size === null ? {} : { size } },
  }))
  const traded = await replay({
    rules,
    settings: { ...settings, amountCurrency: rules.quote },
    candles: replayCandles(candles).filter(({ openedAt }) => openedAt < until),
    signals,
  })
  const outcomes = new Outcomes()
  let [books, fees] = [noBooks, new Decimal('0')]
  for (const [index, fill] of traded.fills.entries()) {
    const step = countFill(books, { ...fill, id: index + 1, orderId: null, kind: 'order' })
    books = step.books
    for (const share of step.shares) fees = fees.plus(share.fees)
    const { trade } = books
    if (trade?.closedAt !== null && trade?.closedBy === index + 1) {
      outcomes.add({ net: netOf(trade), openMs: trade.closedAt - trade.openedAt, order: index + 1 })
    }
  }
  const { count: trades, won, lost } = outcomes.figures()
  const startBalance = settings.startBalance!
  const equity = traded.equity.at(-1)!.equity
  const [first, last] = [indexAt(candles.times, since - 1) + 1, indexAt(candles.times, until - 1)]
  return {
    ...{ trades, won, lost, fees: fees.toFixed(2), startBalance, equity: decimal(equity).toFixed(2) },
    returnPercent: percentOf(decimal(equity), decimal(startBalance)),
    heldPercent: percentOf(decimal(plainOf(candles.closes[last]!)), decimal(plainOf(candles.opens[first]!))),
    open: traded.position.side !== null,
  }
}

function plainOf(price: number): string {
  return plain(decimal(String(price)))
}

function percentOf(now: Decimal, before: Decimal): string {
  const percent = now.minus(before).div(before).times('100')
  return `${percent.gt('0') ? '+' : ''}${percent.toFixed(2)} %`
}
