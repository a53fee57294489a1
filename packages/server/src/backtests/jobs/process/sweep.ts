/**
 * The combinations of a sweep, one after the other. Then the best one is a backtest like any other, or the sweep walks forward
 * with them.
 */
import { readSettings } from '../../../bots/settings.ts'
import type { SweepPlan } from '../../../db/schema.ts'
import {
  type Backtest,
  type BacktestParts,
  type BotPlan,
  backtest,
  type DecidePlan,
  runsOf,
} from '../../backtest.ts'
import { candlesDigest, type Done } from '../../command/result.ts'
import type { Decisions } from '../../decide.ts'
import type { MarketData } from '../../market-data.ts'
import type { Report } from '../../report/report.ts'
import { bestOf } from '../../sweep/best.ts'
import { type Combination, codeRunsOf, codeTimes, combinationsOf } from '../../sweep/plan.ts'
import { daysOf, type Tried, trialOf, triedOf } from '../../sweep/tried.ts'
import {
  type Candidate,
  shownSteps,
  tradedSince,
  trainingsOf,
  type WalkWindow,
  walkForward,
  windowsOf,
} from '../../sweep/walk-forward.ts'
import { packJson, unpackJson } from '../packed.ts'
import { walkPlanOf } from '../sweep-walk.ts'
import type { FromProcess } from './messages.ts'

const progressMs = 1_000

export type SweepParts = {
  sweep: SweepPlan
  parts: BacktestParts
  plan: DecidePlan
  bot: BotPlan
  /** What the code decides with the parameters of the plan, if a backtest has executed it already. */
  known: Decisions | undefined
  /** The packed results of the first combinations, which are stored already. */
  stored: readonly Uint8Array[]
  send: (message: FromProcess) => Promise<void>
}

/**
 * `best`: the index of the best of those that were `tried`; `plan` and `bot` are its own, and `others` the other trials. `runsDone`: runs of the code for
 * all of them. `decisions`: of the latest one whose code was executed now.
 */
export type Swept = {
  plan: DecidePlan
  bot: BotPlan
  tried: Tried[]
  best: number
  others: ReturnType<typeof trialOf>[]
  runsDone: number
  decisions: Decisions | undefined
  walked: Walked | null
}

/** Of a walk-forward: what its report is of, and its windows. */
export type Walked = { done: Done; windows: ReturnType<typeof shownSteps> }

/** A walk-forward is not possible. The message says why. */
export class WalkImpossible extends Error {
  override name = 'WalkImpossible'
}

/** Tries what is not tried yet, and stores each result. */
export async function tryAll(swept: SweepParts): Promise<Swept> {
  const { sweep, parts, plan, bot, stored } = swept
  const combinations = combinationsOf(sweep, plan.seed)
  const packed = [...stored]
  const tried = packed.map(triedIn)
  const windows = sweep.walk === undefined ? null : windowsOf(plan.data, plan, walkPlanOf(sweep.walk))
  const progress = new Progress(swept, combinations)
  const candles = candlesDigest(plan)
  let latest: { parameters: string; decisions: Decisions } | undefined
  for (const [number, combination] of combinations.entries()) {
    if (number < tried.length) continue
    const over = new AbortController()
    const own = {
      plan: planFor(plan, combination),
      bot: { ...botFor(bot, combination), ...givesUp(sweep, () => over.abort()) },
    }
    const parameters = JSON.stringify(combination.parameters)
    const known = latest?.parameters === parameters ? latest.decisions : swept.known
    const [done] = await backtest(
      {
        ...{ ...parts, isAlone: true, progressed: (runs) => progress.within(number, runs) },
        stop: AbortSignal.any([over.signal, ...(parts.stop === undefined ? [] : [parts.stop])]),
        ...(known?.asksPositions === false && { known: () => ({ decisions: known, at: null }) }),
      },
      own.plan,
      [own.bot],
    ).finally(() => progress.settled())
    parts.stop?.throwIfAborted()
    const isDecided = known === undefined || known.asksPositions
    // After an early end, nobody knows what the code would have decided then.
    if (isDecided && !over.signal.aborted) latest = { parameters, decisions: done!.decisions }
    const result = triedOf(combination, { ...own, backtest: done! }, candles)
    if (windows !== null) result.walked = await walkedOf(done!, own.bot, { data: plan.data, windows })
    const { decisions } = done!
    const content = packJson(windows === null ? result : { ...result, decisions: { ...decisions, logs: [] } })
    tried.push(result)
    packed.push(content)
    await progress.over(number, content)
  }
  if (windows !== null) return await walkWith(swept, { combinations, tried, packed, windows })
  const best = bestOf(tried, sweep)
  return {
    ...{ plan: planFor(plan, combinations[best]!), bot: botFor(bot, combinations[best]!) },
    ...{ tried, best, others: tried.filter((_, number) => number !== best).map(trialOf) },
    ...{ runsDone: progress.runs, decisions: latest?.decisions, walked: null },
  }
}

function triedIn(content: Uint8Array): Tried {
  const { decisions: _decisions, ...tried } = unpackJson(content) as Stored
  return tried
}

/** What is stored of a combination. Those of a walk-forward are needed again, one at a time. */
type Stored = Tried & { decisions?: Decisions }

/** @throws {WalkImpossible} */
async function walkedOf(
  { decisions, traded }: Backtest,
  bot: BotPlan,
  { data, windows }: { data: MarketData; windows: readonly WalkWindow[] },
): Promise<Tried['walked'] & {}> {
  if (decisions.asksPositions) {
    throw new WalkImpossible(
      'The code asks what its bot holds, so its decisions in a test depend on the parameters before it. Walk-forward is not possible.',
    )
  }
  const sinceMs = data.candles.times[windows[0]!.test.first]!
  return {
    trained: await trainingsOf(data, decisions, bot, windows),
    since: daysOf(tradedSince(traded, sinceMs)),
  }
}

async function walkWith(
  { plan, bot }: SweepParts,
  {
    combinations,
    tried,
    packed,
    windows,
  }: {
    combinations: readonly Combination[]
    tried: Tried[]
    packed: readonly Uint8Array[]
    windows: readonly WalkWindow[]
  },
): Promise<Swept> {
  const candidates = tried.map(
    ({ walked }, number): Candidate => ({
      parameters: planFor(plan, combinations[number]!).parameters ?? {},
      trained: walked!.trained,
      decisions: () => (unpackJson(packed[number]!) as Required<Stored>).decisions,
    }),
  )
  const walked = await walkForward(plan, candidates, bot, windows)
  const shown = shownSteps(walked, candidates)
  return {
    ...{ plan: walked.plan, bot, tried, best: 0, others: tried.map(({ walked }) => trialOf(walked!.since)) },
    ...{ runsDone: 0, decisions: undefined },
    walked: { done: { ...walked, bot, more: { walk_forward: shown } }, windows: shown },
  }
}

/** What names the result of a sweep: all combinations, or, of a walk-forward, its report. */
export function digestsOf({ tried, walked }: Swept, report: Report): string[] {
  if (walked !== null) return [report.digest]
  return tried.map(({ row }) => row.digest)
}

function planFor(plan: DecidePlan, { parameters }: Combination): DecidePlan {
  return { ...plan, env: { ...plan.env, ...parameters }, parameters: { ...plan.parameters, ...parameters } }
}

function botFor(bot: BotPlan, { settings }: Combination): BotPlan {
  return { ...bot, settings: { ...bot.settings, ...readSettings(settings) } }
}

function givesUp({ endAtDrawdown }: SweepPlan, gaveUp: () => void): Pick<BotPlan, 'givesUp'> {
  return endAtDrawdown === undefined ? {} : { givesUp: { drawdownPercent: endAtDrawdown, gaveUp } }
}

/** Tells the service what is tried, and now and then how far the code is. */
class Progress {
  /** Runs of the code for all combinations. */
  readonly runs: number
  readonly #combinations: number
  readonly #each: number
  readonly #all: number
  readonly #send: SweepParts['send']
  #at = performance.now()
  #sent: Promise<void> = Promise.resolve()

  constructor({ plan, sweep, send }: SweepParts, combinations: readonly Combination[]) {
    const { first, last } = runsOf(plan).within(plan.warmUp, plan.end)
    this.#each = last - first
    this.#combinations = combinations.length
    this.runs = codeRunsOf(combinations) * this.#each
    this.#all = codeTimes(sweep, plan.seed) * this.#each
    this.#send = send
  }

  /** The code has executed so many runs for this combination. */
  within(number: number, runs: number): void {
    if (performance.now() - this.#at < progressMs) return
    this.#at = performance.now()
    const runsDone = Math.floor(((number + runs / this.#each) / this.#combinations) * this.runs)
    const checkpoint = { runs: this.#all, runsDone, parts: [], isDecided: false }
    this.#sent = this.#sent.then(() => this.#send({ type: 'checkpoint', checkpoint }))
  }

  /** Resolves when the service has what was sent. */
  settled(): Promise<void> {
    return this.#sent
  }

  /** Resolves when the result of the combination is stored. */
  async over(number: number, content: Uint8Array): Promise<void> {
    const place = { bot: 0, kind: 'combination' as const, number, first: number, records: 1 }
    await this.#send({ type: 'part', part: { ...place, content } })
    this.within(number + 1, 0)
    await this.#sent
  }
}
