import { decimal, plain } from '../base/decimals.ts'
import type { MarketRules } from '../market/rules.ts'
import type { Candles } from '../market/simulated/candle-file.ts'
import type { MarketConditions } from './market-conditions.ts'
import type { BookedFill } from './memory-books.ts'
import {
  type CandleEnd,
  ReplayBot,
  type ReplayCandle,
  type ReplayOrder,
  type ReplayOutcome,
  type ReplaySignal,
} from './replay-bot.ts'
import type { BotSettings, Position } from './types.ts'

export type { ReplayCandle, ReplayOrder, ReplaySignal }

/** Called when a candle closes, with the position at that time. It does not see later candles. */
export type Decide = (
  candle: ReplayCandle,
  index: number,
  position: Position,
) => Omit<ReplaySignal, 'at'> | null

export type ReplayOptions = {
  rules: MarketRules
  settings: BotSettings
  conditions?: MarketConditions
  /** In order of time. */
  candles: Iterable<ReplayCandle>
  /** Signals in order of time, or a function that decides at each close. */
  signals: readonly ReplaySignal[] | Decide
}

/** The books at the close of a candle. */
export type EquityPoint = { at: number; balance: string; unrealised: string; equity: string; lowest: string }

export type Replay = {
  outcomes: ReplayOutcome[]
  orders: readonly ReplayOrder[]
  fills: readonly BookedFill[]
  position: Position
  equity: EquityPoint[]
  /** Signals after the opening of the last candle. */
  unfollowed: ReplaySignal[]
}

/**
 * Replays signals over candles with a paper bot. It follows a signal at the first opening price at or after the time of the
 * signal and its delay, never at a price that was known when the signal was decided. Protected positions are closed along
 * each candle, in the worse order of its prices. An order that rests is executed when a candle goes through its limit, and
 * its time is over at the first opening after it.
 */
export async function replay({
  rules,
  settings,
  conditions,
  candles,
  signals,
}: ReplayOptions): Promise<Replay> {
  const bot = new ReplayBot(rules, settings, conditions)
  if (typeof signals !== 'function') for (const signal of signals) bot.add(signal)
  const equity: EquityPoint[] = []
  for (const candle of candles) {
    equity.push(pointOf(candle.closedAt, await bot.along(candle)))
    const decided = typeof signals === 'function' ? signals(candle, equity.length - 1, bot.position) : null
    if (decided !== null) bot.add({ ...decided, at: candle.closedAt })
  }
  const { outcomes, orders, fills, position, unfollowed } = bot
  return { outcomes, orders, fills, position, equity, unfollowed }
}

function pointOf(at: number, { balance, equity, lowest }: CandleEnd): EquityPoint {
  const unrealised = plain(equity.minus(balance))
  return { at, balance: plain(balance), unrealised, equity: plain(equity), lowest: plain(lowest) }
}

/** The candles of a file, with the prices as written in the file. */
export function* replayCandles(candles: Candles): Generator<ReplayCandle> {
  for (let index = 0; index < candles.times.length; index++) {
    yield new FileCandle(candles, index, candles.times[index]! + candles.periodMs)
  }
}

/** One of them. Most of a million candles are read only in part, so it makes a text of a price when it is asked for. */
export class FileCandle implements ReplayCandle {
  readonly #candles: Candles
  readonly #index: number
  readonly closedAt: number

  constructor(candles: Candles, index: number, closedAt: number) {
    this.#candles = candles
    this.#index = index
    this.closedAt = closedAt
  }

  get openedAt(): number {
    return this.#candles.times[this.#index]!
  }

  get open(): string {
    return textOf(this.#candles.opens[this.#index]!)
  }

  get high(): string {
    return textOf(this.#candles.highs[this.#index]!)
  }

  get low(): string {
    return textOf(this.#candles.lows[this.#index]!)
  }

  get close(): string {
    return textOf(this.#candles.closes[this.#index]!)
  }

  get volume(): number {
    return this.#candles.volumes[this.#index]!
  }
}

function textOf(price: number): string {
  const text = String(price)
  return text.includes('e') ? plain(decimal(text)) : text
}
