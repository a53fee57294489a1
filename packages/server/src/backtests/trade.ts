/**
 * The second pass of a backtest: a paper bot follows what the strategy decided, along the same candles, by the code that
 * also follows signals as they come.
 */
import type { BotPosition } from '@tickwright/sandbox'
import { type Decimal, decimal, isZero, plain, zero } from '../base/decimals.ts'
import { Turns } from '../base/turns.ts'
import type { MarketRules } from '../market/rules.ts'
import { unrealised } from '../trading/ledger.ts'
import type { MarketConditions } from '../trading/market-conditions.ts'
import type { BookedFill } from '../trading/memory-books.ts'
import {
  type CandleEnd,
  ReplayBot,
  type ReplayCandle,
  type ReplayOrigin,
  type ReplaySignal,
} from '../trading/replay-bot.ts'
import { averageOf, countFill, netOf, noBooks, type Trade } from '../trading/statistics/trades.ts'
import type { BotSettings, Side } from '../trading/types.ts'
import { EquityColumns } from './equity-columns.ts'
import type { Decided } from './host.ts'
import type { MarketData } from './market-data.ts'
import type { Reach } from './runs.ts'
import type {
  ClosedTrade,
  EquityPoint,
  FillReason,
  FollowedSignal,
  Traded,
  TradedFill,
  TradedPayment,
} from './traded.ts'

/** What happens to what is open at the end: it stays, at its value then, or it is closed at the last close. */
export type AtEnd = 'hold' | 'close'

export type TradeOptions = {
  data: MarketData
  rules: MarketRules
  name: string
  settings: BotSettings
  /** Default: see {@link ReplayBot}. */
  conditions?: MarketConditions
  /** It trades along these candles: from `first`, before `end`. */
  first: number
  end: number
  atEnd: AtEnd
  /** Whether only the last point of the equity is of interest. Default false. */
  keepsOnlyEnd?: boolean
  /** Default: it goes along all candles. */
  givesUp?: GivesUp
}

/**
 * The bot gives up at the first close at which its equity is so far below its highest at a close, in percent: it closes
 * what it holds, and trades no more. `gaveUp` is called then.
 */
export type GivesUp = { drawdownPercent: number; gaveUp(): void }

export class TradePass {
  readonly #options: TradeOptions
  readonly #bot: ReplayBot
  readonly #followed: { decided: Decided; signal: ReplaySignal }[] = []
  readonly #equity: EquityColumns
  #lastEnd: CandleEnd | null = null
  #lastPoint: Pick<EquityPoint, 'equity' | 'worst'> = { equity: 0, worst: 0 }
  #highest: number
  #gaveUp: NonNullable<Traded['gaveUp']> | null = null
  #next: number
  /** Whether it has gone into the opening of candle `#next`. */
  #isOpen = false

  constructor(options: TradeOptions) {
    this.#options = options
    this.#bot = new ReplayBot(options.rules, options.settings, options.conditions)
    this.#next = options.first
    this.#highest = Number(options.settings.startBalance ?? '0')
    this.#equity = new EquityColumns(options.keepsOnlyEnd ? 1 : Math.max(0, options.end - options.first))
  }

  /** Takes a signal, before it goes along a later candle. A signal from before its first candle is not followed. */
  follow(decided: Decided): void {
    if (decided.index < this.#options.first) return
    const { action, atMs: at, options } = decided
    const signal: ReplaySignal = { action, at, options }
    this.#followed.push({ decided, signal })
    this.#bot.add(signal)
  }

  /** Goes along the candles before `next`. */
  async goTo(next: number): Promise<void> {
    const { data, end, keepsOnlyEnd = false } = this.#options
    const until = Math.min(next, end)
    const turns = new Turns()
    for (; this.#next < until; this.#next++) {
      if (this.#gaveUp !== null) {
        this.#equity.add({ timeMs: data.endOf(this.#next), ...this.#lastPoint })
        continue
      }
      const candle = data.replayCandle(this.#next)
      const isKept = !keepsOnlyEnd || this.#next + 1 === end
      // No promise for each of a million candles on which nothing happens.
      if (this.#isOpen || !this.#bot.isQuiet(candle)) {
        const at = this.#isOpen ? await this.#bot.through(candle) : await this.#bot.along(candle)
        this.#isOpen = false
        if (isKept) this.#addPoint(candle.closedAt, at)
      } else if (isKept) {
        this.#addPoint(candle.closedAt, this.#bot.pass(candle))
      } else {
        this.#bot.skip(candle)
      }
      if (this.#isHopeless) await this.#giveUp(candle)
      if (turns.isOver) await turns.rest()
    }
  }

  get #isHopeless(): boolean {
    const { givesUp } = this.#options
    if (givesUp === undefined) return false
    const { equity } = this.#lastPoint
    this.#highest = Math.max(this.#highest, equity)
    return equity <= this.#highest * (1 - givesUp.drawdownPercent / 100)
  }

  async #giveUp(candle: ReplayCandle): Promise<void> {
    const end = await this.#bot.end(candle)
    const { worst } = this.#lastPoint
    this.#equity.removeLast()
    this.#addPoint(candle.closedAt, end)
    // The candle had its worst moment before.
    const { equity } = this.#lastPoint
    this.#equity.removeLast()
    this.#equity.add({ timeMs: candle.closedAt, equity, worst: Math.min(worst, equity) })
    this.#lastPoint = { equity, worst: equity }
    this.#gaveUp = { atMs: candle.closedAt, openedMs: candle.openedAt }
    this.#options.givesUp?.gaveUp()
  }

  #addPoint(timeMs: number, at: CandleEnd): void {
    if (at !== this.#lastEnd) this.#lastPoint = pointOf(at)
    this.#lastEnd = at
    this.#equity.add({ timeMs, ...this.#lastPoint })
  }

  /** Goes as far as a run of code sees what happened. */
  async reach({ candles, openedMs }: Reach): Promise<void> {
    await this.goTo(candles)
    const { data, end } = this.#options
    if (openedMs === null || this.#next >= end || this.#gaveUp !== null) return
    const candle = data.replayCandle(this.#next)
    if (candle.openedAt > openedMs) return
    if (!this.#isOpen) await this.#bot.open(candle)
    this.#isOpen = true
    // Signals of this very moment come after the run.
    if (candle.openedAt < openedMs) await this.#bot.followAt(candle)
  }

  /** Whether the result so far may depend on whether the high or the low of a candle came first. */
  get hasGuessed(): boolean {
    return this.#bot.hasGuessed
  }

  /**
   * What `$.Strategy.positions()` answers where it has arrived.
   * @param priced the candle whose close is the price; `null`: none is known
   */
  positions(priced: number | null): BotPosition[] {
    const { data, name } = this.#options
    const { side, size, entryPrice } = this.#bot.position
    const signal = this.#latestSignal()
    const isOver = signal === null || !inProgress.includes(signal.status)
    if (side === null && isOver) return []
    const close = priced === null ? null : data.replayCandle(priced).close
    return [
      {
        bot: { id: 1, name, mode: 'paper' },
        symbol: data.symbol,
        side,
        size: Number(size),
        entryPrice: entryPrice === null ? null : Number(entryPrice),
        unrealised: close === null ? null : Number(unrealised(this.#bot.position, close)),
        signal,
      },
    ]
  }

  #latestSignal(): BotPosition['signal'] {
    const last = this.#followed.at(-1)
    if (last === undefined) return null
    const { action, at } = last.signal
    const outcome = this.#bot.outcomes.findLast(({ signal }) => signal === last.signal)?.outcome
    if (outcome === undefined) {
      const status = this.#isDelayed ? 'DELAYED' : 'QUEUED'
      return { action, status, reason: null, at }
    }
    const { status, reason } = outcome
    return { action, status: status === 'RESTING' ? 'WORKING' : status, reason, at }
  }

  /** Whether a signal waits before the bot follows it. */
  get #isDelayed(): boolean {
    const { settings, conditions } = this.#options
    return settings.delaySeconds > 0 || (conditions?.latencyMs ?? 0) > 0
  }

  /** Goes along the rest of the candles, and says what became of everything. */
  async finish(): Promise<Traded> {
    const { data, rules, name, settings, first, end, atEnd } = this.#options
    await this.goTo(end)
    if (atEnd === 'close' && end > first && this.#gaveUp === null) {
      const last = await this.#bot.end(data.replayCandle(end - 1))
      this.#equity.removeLast()
      this.#addPoint(data.endOf(end - 1), last)
    }
    const reasons = this.#reasons()
    return {
      bot: { name, settings },
      quote: rules.quote,
      startMs: data.candles.times[first] ?? 0,
      endMs: end > first ? data.endOf(end - 1) : 0,
      startEquity: Number(settings.startBalance ?? '0'),
      equity: this.#equity,
      fills: this.#fills(reasons),
      closed: this.#closed(reasons),
      ...(this.#options.conditions?.funding !== undefined && { payments: this.#payments() }),
      signals: this.#signals(),
      candles: [data.columns(first, end)],
      ...(this.#gaveUp !== null && { gaveUp: this.#gaveUp }),
    }
  }

  #reasons(): Reasons {
    return new Map(
      this.#bot.orders.map(({ clientOrderId, origin, limit }) => [
        clientOrderId,
        { reason: reasonOf(origin), isPlain: limit !== undefined || origin === 'liquidation' },
      ]),
    )
  }

  #fills(reasons: Reasons): TradedFill[] {
    const { slippageRate, spreadRate = '0' } = this.#options.settings
    let held = decimal('0')
    const paid = this.#paidUntil()
    return this.#bot.fills.map((fill, index) => {
      const { clientOrderId, filledAt, symbol, side, size, price, fee, realised } = fill
      held = side === 'buy' ? held.plus(decimal(size)) : held.minus(decimal(size))
      const { reason, isPlain } = reasons.get(clientOrderId)!
      return {
        ...{ timeMs: filledAt, symbol, side, size: Number(size), price: Number(price), fee: Number(fee) },
        ...(isPlain ? noCosts : costsOf(Number(size) * Number(price), side, slippageRate, spreadRate)),
        ...{ fundingCost: 0 - Number(plain(paid(index))), realised: Number(realised) },
        ...{ positionAfter: Number(held.toFixed()), reason },
      }
    })
  }

  #closed(reasons: Reasons): ClosedTrade[] {
    const closed: ClosedTrade[] = []
    const paid = this.#paidUntil()
    let funding = zero
    let books = noBooks
    for (const [index, fill] of this.#bot.fills.entries()) {
      const id = index + 1
      books = countFill(books, { ...fill, id, orderId: null, kind: 'order' }).books
      const { trade } = books
      funding = funding.plus(paid(index))
      if (trade?.closedAt === null || trade?.closedBy !== id) continue
      closed.push(closedOf(trade, fill, { reason: reasons.get(fill.clientOrderId)!.reason, funding }))
      funding = zero
    }
    return closed
  }

  /** What was received since the fill before a fill, asked for fill by fill. */
  #paidUntil(): (fill: number) => Decimal {
    const { payments } = this.#bot
    let next = 0
    return (fill) => {
      let sum = zero
      for (; (payments[next]?.fillsBefore ?? Infinity) <= fill; next++)
        sum = sum.plus(decimal(payments[next]!.value))
      return sum
    }
  }

  #payments(): TradedPayment[] {
    return this.#bot.payments.map(({ at, symbol, size, price, rate, value }) => ({
      ...{ timeMs: at, symbol, size: Number(size), price: Number(price) },
      ...{ rate: Number(rate), value: Number(value) },
    }))
  }

  #signals(): FollowedSignal[] {
    const outcomes = new Map(this.#bot.outcomes.map(({ signal, outcome }) => [signal, outcome]))
    // What the code decided later depends on how fast it was.
    const until = this.#gaveUp?.openedMs ?? Infinity
    const followed = this.#followed.filter(({ decided }) => decided.atMs <= until)
    return followed.map(({ decided: { atMs, action }, signal }) => {
      const { status, reason } = outcomes.get(signal) ?? { status: 'UNFOLLOWED', reason: unfollowed }
      return { timeMs: atMs, action, outcome: status, reason }
    })
  }
}

/** A flat symbol with such a signal is one of the positions that code sees. */
const inProgress: readonly string[] = ['DELAYED', 'QUEUED', 'WORKING', 'CLOSING', 'WAITING']

/** Why each order was sent, by its client order id, and whether it got its price without spread and slippage. */
type Reasons = ReadonlyMap<string, { reason: FillReason; isPlain: boolean }>

const unfollowed = 'No candle opened after it.'

function reasonOf(origin: ReplayOrigin | null): FillReason {
  return origin ?? 'signal'
}

function pointOf({ equity, lowest }: CandleEnd): Pick<EquityPoint, 'equity' | 'worst'> {
  const number = Number(plain(equity))
  return { equity: number, worst: lowest === equity ? number : Number(plain(lowest)) }
}

/** An order with a limit waits for its price, and a liquidation takes the margin: they pay neither. */
const noCosts = { slippageCost: 0, spreadCost: 0 }

/** Which parts of the value of a market order they took: its price was that of the market × (1 ± spread ÷ 2) × (1 ± slippage). */
function costsOf(value: number, side: Side, slippageRate: string, spreadRate: string) {
  const partOf = (of: number, rate: number) => (of * rate) / (side === 'buy' ? 1 + rate : 1 - rate)
  const slippageCost = partOf(value, Number(slippageRate))
  const offered = side === 'buy' ? value - slippageCost : value + slippageCost
  return { slippageCost, spreadCost: partOf(offered, Number(spreadRate) / 2) }
}

function closedOf(
  trade: Trade,
  fill: BookedFill,
  { reason, funding }: { reason: FillReason; funding: Decimal },
): ClosedTrade {
  const { symbol, side, openedAt, entered, entryValue, exited, exitValue, fees } = trade
  const number = (value: ReturnType<typeof averageOf>) => Number(value?.toFixed() ?? '0')
  return {
    ...{ symbol, side: side === 'long' ? 'LONG' : 'SHORT', openedMs: openedAt, closedMs: fill.filledAt },
    entry: number(averageOf(entryValue, entered)),
    exit: number(averageOf(exitValue, exited)),
    size: number(entered),
    profit: number(netOf(trade).plus(funding)),
    fees: number(fees),
    ...(!isZero(funding) && { funding: number(funding) }),
    reason,
  }
}
