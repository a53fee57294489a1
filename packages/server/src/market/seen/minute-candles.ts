/** How the prices of a market become candles of one minute. */
import type { Quote } from '../price-source.ts'
import { freshForMs } from '../watch.ts'

export const minuteMs = 60_000

/** A minute of seen prices. `time` is when it begins, in Unix ms. */
export type SeenCandle = { time: number; open: number; high: number; low: number; close: number }

/**
 * The minute that is going on. A minute becomes a candle only if its last price was still valid when it ended: a backtest
 * takes the close as the price of that moment.
 */
export class MinuteCandles {
  #candle: SeenCandle | undefined
  #seenMs = 0

  /** Whether no minute is going on. */
  get isIdle(): boolean {
    return this.#candle === undefined
  }

  /** @returns the minute that this price ends, if it is a candle */
  see({ price, at }: Quote): SeenCandle | undefined {
    const time = Math.floor(at / minuteMs) * minuteMs
    const candle = this.#candle
    if (candle === undefined) {
      this.#begin(time, price, at)
      return undefined
    }
    if (time < candle.time) {
      // An answer that was under way for long says nothing new. An earlier minute says that the clock was set back.
      if (candle.time - time > minuteMs) this.#begin(time, price, at)
      return undefined
    }
    if (time > candle.time) {
      const ended = this.#ended()
      this.#begin(time, price, at)
      return ended
    }
    candle.high = Math.max(candle.high, price)
    candle.low = Math.min(candle.low, price)
    // Two prices can arrive in the other order, and the later one is the close.
    if (at < this.#seenMs) return undefined
    candle.close = price
    this.#seenMs = at
    return undefined
  }

  /** @returns the minute that is over, if it is a candle. @param nowMs Unix ms, with time for prices that are late */
  endBy(nowMs: number): SeenCandle | undefined {
    if (this.#candle === undefined || nowMs < this.#candle.time + minuteMs) return undefined
    const ended = this.#ended()
    this.#candle = undefined
    return ended
  }

  #begin(time: number, price: number, at: number): void {
    this.#candle = { time, open: price, high: price, low: price, close: price }
    this.#seenMs = at
  }

  #ended(): SeenCandle | undefined {
    const candle = this.#candle!
    return candle.time + minuteMs - this.#seenMs <= freshForMs ? candle : undefined
  }
}
