import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Candle, endingOf, openingOf, readInterval } from '@tickwright/sandbox'
import type { CandleClock, CandleWindow, ListedMarket } from '../candles/candle-source.ts'
import { knownAssets } from './assets.ts'
import { type SimulatedPair, simulatedActivity, simulatedPrice } from './simulated-price.ts'

/** The intervals that most exchanges have. */
export const usualIntervals = [
  ...['1m', '3m', '5m', '15m', '30m', '1h', '2h', '4h', '6h', '8h', '12h', '1d', '3d', '1w', '1M'],
]

/** A candle is made of this many prices, evenly spread: a candle of a minute of all its prices. */
const samples = 60
const secondMs = 1_000
/** Candles that are computed in one turn of the event loop: a few milliseconds. */
const perTurn = 25

/** The clock of a market with one price a second. */
export function clockOfSeconds(now: () => number): CandleClock {
  return { now, graceMs: 0, freshMs: () => 1 }
}

/** The simulated candles of a pair. They agree with its simulated prices, and know none after `at`. */
export async function simulatedCandles(
  pair: SimulatedPair,
  { interval, count, since, at }: CandleWindow,
): Promise<Candle[]> {
  const duration = readInterval(interval)!
  const latest = openingOf(duration, at)
  let opening = openingOf(duration, endingOf(duration, latest, 1 - count))
  if (since !== undefined) {
    opening = openingOf(duration, since)
    if (opening < since) opening = endingOf(duration, opening)
  }
  const candles: Candle[] = []
  while (opening <= at && candles.length < count) {
    if (candles.length % perTurn === perTurn - 1) await nextTurn()
    const ending = endingOf(duration, opening)
    candles.push(simulatedCandle(pair, opening, ending, at))
    opening = ending
  }
  return candles
}

function simulatedCandle(pair: SimulatedPair, opening: number, ending: number, at: number): Candle {
  const stepMs = Math.max(secondMs, Math.floor((ending - opening) / samples / secondMs) * secondMs)
  const until = Math.min(at + secondMs, ending)
  const open = simulatedPrice(pair, opening)
  const last = simulatedPrice(pair, Math.floor((until - 1) / secondMs) * secondMs)
  let [high, low] = open > last ? [open, last] : [last, open]
  let volume = 0
  for (let time = opening; time < until; time += stepMs) {
    const price = simulatedPrice(pair, time)
    if (price > high) high = price
    else if (price < low) low = price
    volume += (simulatedActivity(pair, time) * Math.min(stepMs, until - time)) / secondMs
  }
  const isOver = until === ending
  return { time: opening, open, high, low, last, volume: Number(volume.toPrecision(6)), done: isOver }
}

const listedQuotes = ['USDT', 'USDC', 'USD', 'EUR', 'BTC']

/** Pairs of the assets that have a realistic level. Any other pair has prices, too. */
export const simulatedMarkets: readonly ListedMarket[] = knownAssets
  .flatMap((base) => listedQuotes.filter((quote) => quote !== base).map((quote) => ({ base, quote })))
  .map(({ base, quote }) => ({
    ...{ symbol: `${base}/${quote}`, base, quote, id: `${base}${quote}`, active: true },
  }))
  .sort((a, b) => (a.symbol < b.symbol ? -1 : 1))
