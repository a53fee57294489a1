/** When the code of a backtest runs, and with what: at the end of each candle, or once for each stored delivery. */
import type { SeriesEvent } from '@tickwright/sandbox'
import type { MarketData } from './market-data.ts'

/** Runs by number, in order of time. Candles have numbers of their own. */
export type Runs = {
  /** The runs in the time of the candles from `warmUp` to before `end`: from `first` to before `last`. */
  within(warmUp: number, end: number): { first: number; last: number }
  /** In Unix ms. */
  atMs(run: number): number
  eventOf(run: number): SeriesEvent
  viewOf(run: number): View
  /** How many of the first candles a bot may go along before a run: no signal of it or of a later run can reach them. */
  candlesBefore(run: number): number
  /** How far a bot has gone when a run asks what it holds. */
  reachOf(run: number): Reach
}

/**
 * The market as a run sees it. `ended`: the last candle that had ended; -1: none. `candle`: the one whose opening or end is the
 * latest until then; a bot follows a signal of the run after that opening or end. `price`: `null` if none is known.
 */
export type View = { atMs: number; ended: number; candle: number; price: number | null }

/** Along the first `candles`, and then into the opening of the next one, if that is at or before `openedMs`. */
export type Reach = { candles: number; openedMs: number | null }

/** The code runs at the end of each candle, with the candle as payload. */
export class CandleRuns implements Runs {
  readonly #data: MarketData

  constructor(data: MarketData) {
    this.#data = data
  }

  within(warmUp: number, end: number): { first: number; last: number } {
    return { first: warmUp, last: end }
  }

  atMs(run: number): number {
    return this.#data.endOf(run)
  }

  eventOf(run: number): SeriesEvent {
    const data = this.#data
    return { startMs: data.endOf(run), data: data.payloadOf(run), price: data.candles.closes[run]! }
  }

  viewOf(run: number): View {
    return { atMs: this.atMs(run), ended: run, candle: run, price: this.#data.candles.closes[run]! }
  }

  candlesBefore(run: number): number {
    return run
  }

  reachOf(run: number): Reach {
    return { candles: run + 1, openedMs: null }
  }
}
