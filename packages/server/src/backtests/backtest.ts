/** A backtest: what the code of a strategy decides on candles of the past, and what a paper bot makes of it. */
import { createHash } from 'node:crypto'
import type { Sandbox } from '@tickwright/sandbox'
import { decimal, plain } from '../base/decimals.ts'
import type { BacktestModel } from '../db/schema.ts'
import type { MarketRules } from '../market/rules.ts'
import type { MarketConditions } from '../trading/market-conditions.ts'
import type { BotSettings } from '../trading/types.ts'
import { type Arrival, type CodeInput, type Decisions, decide } from './decide.ts'
import { DeliveryRuns, type PastDeliveries } from './delivery-runs.ts'
import type { Decided, Send } from './host.ts'
import type { AskModel, EventRecord, LiveModel } from './model/live-model.ts'
import { CandleRuns, type Runs } from './runs.ts'
import { type AtEnd, type GivesUp, TradePass } from './trade.ts'
import type { Traded } from './traded.ts'

/** Everything that decisions depend on, unless the code asks what its bot holds. */
export type DecidePlan = CodeInput & {
  /** Requests of the code that only read are sent, so the result cannot be repeated. */
  http?: 'read'
  /** The code runs on these, and not at the ends of candles. */
  deliveries?: PastDeliveries
  /** No code runs: a model has decided, or decides. */
  model?: BacktestModel
  /** Runs are in the time of the candles from `warmUp` to before `end`; the bot trades from candle `first` on. */
  warmUp: number
  first: number
  end: number
  /** Those of the variables that the report may show. Default: all of them. */
  parameters?: Record<string, string>
}

export type BotPlan = {
  name: string
  rules: MarketRules
  settings: BotSettings
  /** Default: the market takes any order, at once. */
  conditions?: MarketConditions
  atEnd: AtEnd
  /** Of a combination of a sweep. */
  givesUp?: GivesUp
}

export type BacktestParts = {
  sandbox: Pick<Sandbox, 'series'>
  /** An id that no other series of the sandbox has. */
  nextSeriesId(): number
  /** Sends GETs of the code, if the plan says `read`. */
  send?: Send
  /** What is needed to ask a model, if the plan says `live`. */
  live?: { model: LiveModel; recordOf(run: number): EventRecord; ask: AskModel }
  /** Called now and then with the number of runs that are decided. */
  progressed?(runs: number): void
  stop?: AbortSignal
  eventsAtOnce?: number
  /**
   * What the code decided for a bot when this backtest was executed before: all, or until where it had arrived. `undefined`:
   * nothing. Bots are numbered from 0.
   */
  known?(bot: number): Known | undefined
  /** Leaves out `doubled` and `reordered`, which take as long as the backtest itself. */
  isAlone?: boolean
  /** Called after each step of the code, and at the end of its runs, with what has to be known to go on from there. */
  arrived?(bot: number, known: Known): void
}

/** Decisions, and where to go on; `null`: the runs are over. */
export type Known = { decisions: Decisions; at: Arrival | null }

/**
 * `doubled`: the same signals with twice the slippage; `null` if the code asks what its bot holds. `reordered`: the same
 * signals with the other extreme of each candle first; `null` if that changes nothing, absent if the code asks what its bot
 * holds. Of both, only the last point of the equity is kept.
 */
export type Backtest = {
  decisions: Decisions
  traded: Traded
  doubled: Traded | null
  reordered?: Traded | null
}

/**
 * Executes the code once, and has each bot follow its decisions. If the code asks what its bot holds, it is executed for each
 * bot. Resolves with a result for each bot, in their order. Rejects if the sandbox is closed.
 * @throws {FundingUnknown} if a bot held a position at a moment of funding whose rate nobody knows
 */
export async function backtest(
  parts: BacktestParts,
  plan: DecidePlan,
  bots: readonly BotPlan[],
): Promise<Backtest[]> {
  const done: Backtest[] = []
  let kept: Decisions | null = null
  for (const [number, bot] of bots.entries()) {
    const pass = new TradePass({ ...bot, data: plan.data, first: plan.first, end: plan.end })
    if (kept === null || kept.asksPositions) kept = await decideFor(parts, plan, pass, number)
    else for (const signal of kept.signals) pass.follow(signal)
    if (parts.isAlone) done.push({ decisions: kept, traded: await pass.finish(), doubled: null })
    else done.push(await finished(pass, plan, bot, kept))
  }
  return done
}

/**
 * Has a bot follow what is decided already, along the candles from `first` to before `end`.
 * @throws {FundingUnknown}
 */
export async function tradeDecided(plan: DecidePlan, bot: BotPlan, decisions: Decisions): Promise<Backtest> {
  const { data, first, end } = plan
  const pass = new TradePass({ ...bot, data, first, end })
  for (const signal of decisions.signals) pass.follow(signal)
  return await finished(pass, plan, bot, decisions)
}

async function finished(pass: TradePass, plan: DecidePlan, bot: BotPlan, kept: Decisions): Promise<Backtest> {
  const traded = await pass.finish()
  const result = { decisions: kept, traded, doubled: await doubledOf(plan, bot, kept) }
  if (kept.asksPositions) return result
  return { ...result, reordered: pass.hasGuessed ? await reorderedOf(plan, bot, kept) : null }
}

/** Decides, while the bot goes along the candles that are decided already. */
async function decideFor(
  parts: BacktestParts,
  plan: DecidePlan,
  pass: TradePass,
  bot: number,
): Promise<Decisions> {
  const { sandbox, nextSeriesId, progressed, stop, eventsAtOnce, live } = parts
  const { deliveries, first: _first, http, model, ...rest } = plan
  const runs = runsOf(plan)
  const { first, last } = runs.within(plan.warmUp, plan.end)
  const known = parts.known?.(bot)
  for (const signal of known?.decisions.signals ?? []) pass.follow(signal)
  if (known?.at === null) return known.decisions
  let traded = Promise.resolve()
  const options = {
    ...rest,
    ...{ runs, first, end: last },
    ...(stop && { stop }),
    ...(http === 'read' && parts.send && { send: parts.send }),
    positions: async (run: number) => {
      await traded
      await pass.reach(runs.reachOf(run))
      const { price, ended } = runs.viewOf(run)
      return pass.positions(price === null ? null : ended)
    },
    decided: (next: number, signals: readonly Decided[]) => {
      for (const signal of signals) pass.follow(signal)
      // A signal is followed after its candle, so the bot may go along what is decided.
      if (next < last) traded = traded.then(() => pass.goTo(runs.candlesBefore(next)))
      // If it fails, the code still ends its runs, and then the backtest fails.
      traded.catch(() => undefined)
      progressed?.(next - first)
    },
    ...(known?.at && { from: known.at }),
    arrived: (at: Arrival) => parts.arrived?.(bot, { decisions: at.decisions, at }),
  }
  const decisions =
    live === undefined
      ? await decide({
          ...{ ...options, sandbox, seriesId: nextSeriesId() },
          ...(eventsAtOnce !== undefined && { eventsAtOnce }),
        })
      : await (await loadLive()).decideLive({
          ...{ ...options, ...live, deliveries: deliveries!, question: model!.question },
        })
  await traded
  parts.arrived?.(bot, { decisions, at: null })
  return decisions
}

/** Only backtests that ask a model need what surrounds models. */
function loadLive() {
  return import('./model/live-pass.ts')
}

/** The runs of a plan. */
export function runsOf({ data, deliveries }: Pick<DecidePlan, 'data' | 'deliveries'>): Runs {
  return deliveries === undefined ? new CandleRuns(data) : new DeliveryRuns(data, deliveries)
}

async function doubledOf(plan: DecidePlan, bot: BotPlan, kept: Decisions): Promise<Traded | null> {
  if (kept.asksPositions) return null
  const slippageRate = plain(decimal(bot.settings.slippageRate).times('2'))
  if (decimal(slippageRate).gte('1')) return null
  return await tradeAgain(plan, { ...bot, settings: { ...bot.settings, slippageRate } }, kept)
}

async function reorderedOf(plan: DecidePlan, bot: BotPlan, kept: Decisions): Promise<Traded> {
  return await tradeAgain(plan, { ...bot, conditions: { ...bot.conditions, firstExtreme: 'better' } }, kept)
}

async function tradeAgain({ data, first, end }: DecidePlan, bot: BotPlan, kept: Decisions): Promise<Traded> {
  const pass = new TradePass({ ...bot, data, first, end, keepsOnlyEnd: true })
  for (const signal of kept.signals) pass.follow(signal)
  return await pass.finish()
}

/** Names a value by its content. The order of its fields counts. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex')
}
