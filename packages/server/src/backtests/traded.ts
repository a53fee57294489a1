/**
 * What became of the signals of a backtest: the result of its trade pass, from which reports are made. The books count in
 * exact decimals; here are the nearest numbers. Amounts and prices are in quote currency, sizes in base currency, times in
 * Unix milliseconds.
 */
import type { SignalOrigin } from '../db/schema.ts'
import type { SignalEnd } from '../trading/signal-outcome.ts'
import type { Action, BotSettings, Side } from '../trading/types.ts'

/**
 * Why an order was sent: a signal asked for it, something that the bot does by itself, the backtest was over, or the venue
 * closed a position whose margin was used up.
 */
export type FillReason = 'signal' | SignalOrigin | 'end' | 'liquidation'

export type Traded = {
  bot: { name: string; settings: BotSettings }
  quote: string
  /** The opening of the first candle that was traded, and the end of the last one. */
  startMs: number
  endMs: number
  startEquity: number
  equity: Equity
  fills: TradedFill[]
  closed: ClosedTrade[]
  /** In order of time. Absent: nothing was paid without a fill. */
  payments?: TradedPayment[]
  signals: FollowedSignal[]
  candles: CandleColumns[]
  /**
   * When the bot gave up, at the close of a candle, and when that candle opened; its equity is the same from then on. Signals
   * after the opening are left out: whether the code had sent them by then is chance. Absent: it did not give up.
   */
  gaveUp?: { atMs: number; openedMs: number }
}

/** Points in order of time: an array, or {@link EquityColumns}. */
export type Equity = Iterable<EquityPoint> & {
  readonly length: number
  /** A negative index counts from the end. */
  at(index: number): EquityPoint | undefined
  map<Value>(of: (point: EquityPoint, index: number) => Value): Value[]
}

/** The equity at the close of a candle, and the lowest that it was within that candle. */
export type EquityPoint = { timeMs: number; equity: number; worst: number }

/** `realised` is after the fee. `positionAfter` is negative for a short. Costs are positive; a rebate is a negative fee. */
export type TradedFill = {
  timeMs: number
  symbol: string
  side: Side
  size: number
  price: number
  fee: number
  /** How much worse the price was than the price of the market, times the size. */
  slippageCost: number
  /** What the spread between bid and ask cost. */
  spreadCost: number
  /** What was paid for holding a futures position until this fill since the one before; negative if it was received. */
  fundingCost: number
  realised: number
  positionAfter: number
  reason: FillReason
}

/** What a position paid or received at a moment, without a fill. `size` is negative for a short, `value` if it paid. */
export type TradedPayment = {
  timeMs: number
  symbol: string
  size: number
  price: number
  rate: number
  value: number
}

/** A position that was closed completely. `size` is all that entered it; `entry` and `exit` are average prices. */
export type ClosedTrade = {
  symbol: string
  side: 'LONG' | 'SHORT'
  openedMs: number
  closedMs: number
  entry: number
  exit: number
  size: number
  /** After all fees and funding. */
  profit: number
  fees: number
  /** What it received for holding the position, negative if it paid. Absent: nothing. */
  funding?: number
  /** Of the fill that closed it. */
  reason: FillReason
}

/**
 * What became of a signal. `RESTING`: its order still rested at the end. `UNFOLLOWED`: no candle opened after it. `reason`
 * is a sentence for people, where there is something to say.
 */
export type FollowedSignal = {
  timeMs: number
  action: Action
  outcome: SignalEnd['status'] | 'CLOSING' | 'WAITING' | 'RESTING' | 'UNFOLLOWED'
  reason: string | null
}

/** Candles in order of time, as columns of equal length. `timeMs` is when each opened. */
export type CandleColumns = {
  symbol: string
  timeMs: Column
  open: Column
  high: Column
  low: Column
  close: Column
}

/** A million numbers are views of the candles themselves, and no copies. */
type Column = Float64Array | readonly number[]
