/** The rule of the example reaction in plain arithmetic, without the service, for tests to compare with. */
import type { Candle } from '../candles/csv.ts'

export type ExpectedSignal = { action: 'LONG' | 'SHORT' | 'EXIT'; candle: Candle }

const fastPeriod = 24
const slowPeriod = 72
const rsiPeriod = 14
const keptPrices = 200
const restingCandles = 24

export function expectedSignals(candles: readonly Candle[]): ExpectedSignal[] {
  const signals: ExpectedSignal[] = []
  let actedAt = Number.NEGATIVE_INFINITY
  for (const [index, candle] of candles.entries()) {
    const prices = candles.slice(Math.max(0, index + 1 - keptPrices), index + 1).map(({ close }) => close)
    if (prices.length <= slowPeriod || index - actedAt <= restingCandles) continue
    const now = gapOf(prices)
    const before = gapOf(prices.slice(0, -1))
    const rsi = relativeStrengthIndex(prices, rsiPeriod)
    const action = decide(now, before, rsi, signals.at(-1)?.action)
    if (action === undefined) continue
    signals.push({ action, candle })
    actedAt = index
  }
  return signals
}

function decide(now: number, before: number, rsi: number, held: ExpectedSignal['action'] | undefined) {
  if (before <= 0 && now > 0 && rsi >= 60 && held !== 'LONG') return 'LONG'
  if (before >= 0 && now < 0 && rsi <= 40 && held !== 'SHORT') return 'SHORT'
  if (held === 'LONG' && (now < 0 || rsi >= 80)) return 'EXIT'
  if (held === 'SHORT' && (now > 0 || rsi <= 20)) return 'EXIT'
  return undefined
}

function gapOf(prices: readonly number[]): number {
  return exponentialAverage(prices, fastPeriod) - exponentialAverage(prices, slowPeriod)
}

/** Starts with the first price; each further price has a weight of 2 / (period + 1). */
function exponentialAverage(prices: readonly number[], period: number): number {
  const weight = 2 / (period + 1)
  return prices.reduce((average, price) => average + weight * (price - average))
}

/** Wilder's RSI: a plain average of gains and losses over the first period, then smoothed by 1 / period. */
function relativeStrengthIndex(prices: readonly number[], period: number): number {
  const changes = prices.slice(1).map((price, index) => price - prices[index]!)
  const smooth = (values: number[]) => {
    const first = values.slice(0, period).reduce((sum, value) => sum + value, 0) / period
    return values.slice(period).reduce((average, value) => average + (value - average) / period, first)
  }
  const gain = smooth(changes.map((change) => Math.max(change, 0)))
  const loss = smooth(changes.map((change) => Math.max(-change, 0)))
  return loss === 0 ? 100 : 100 - 100 / (1 + gain / loss)
}
