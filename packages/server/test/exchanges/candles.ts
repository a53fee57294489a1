import type { Exchange, StandInMarket } from './stand-in.ts'

/** A candle of an exchange on this machine. `at` is when it opened, in Unix milliseconds. */
export type StandInCandle = {
  at: number
  open: string
  high: string
  low: string
  last: string
  volume: string
}

type Window = { durationMs: number; since?: number | undefined; until?: number | undefined; limit: number }

/**
 * Candles of a market: the first from `since` on, or the latest. Each follows from its number, except the unfinished one,
 * whose last price is the current price of the market.
 */
export function candlesOf<M extends StandInMarket>(
  market: M,
  exchange: Exchange<M>,
  { durationMs, since, until = Infinity, limit }: Window,
): StandInCandle[] {
  const now = Math.floor(exchange.now() / durationMs)
  const latest = Math.min(now, Math.floor(until / durationMs))
  const first = since === undefined ? latest - limit + 1 : Math.ceil(since / durationMs)
  const count = Math.max(0, Math.min(limit, latest - first + 1))
  return Array.from({ length: count }, (_, index) => {
    const number = first + index
    const open = openOf(market, number)
    const last = number === now ? Number(exchange.quote(market).price) : openOf(market, number + 1)
    return {
      at: number * durationMs,
      open: open.toFixed(8),
      high: (Math.max(open, last) * 1.001).toFixed(8),
      low: (Math.min(open, last) * 0.999).toFixed(8),
      last: last.toFixed(8),
      volume: (10 + (number % 7)).toFixed(8),
    }
  })
}

const minuteMs = 60_000
const unitMs: Record<string, number> = {
  m: minuteMs,
  min: minuteMs,
  h: 60 * minuteMs,
  d: 1_440 * minuteMs,
  w: 10_080 * minuteMs,
}

/** The duration of an interval such as `15m`, `1min`, `1H` or `1Dutc`; `undefined` if it is none. */
export function durationOf(interval: unknown): number | undefined {
  const match = /^([1-9]\d?)(min|[mhdw])(?:utc)?$/i.exec(String(interval))
  return match === null ? undefined : Number(match[1]) * unitMs[match[2]!.toLowerCase()]!
}

function openOf({ price }: StandInMarket, number: number): number {
  return Number(price) * (1 + (number % 100) / 10_000)
}
