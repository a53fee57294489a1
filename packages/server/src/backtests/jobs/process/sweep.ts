/** The combinations of a sweep, one after the other. The best one is then a backtest like any other. */
import { readSettings } from '../../../bots/settings.ts'
import type { SweepPlan } from '../../../db/schema.ts'
import { type BacktestParts, type BotPlan, backtest, type DecidePlan, runsOf } from '../../backtest.ts'
import { candlesDigest } from '../../command/result.ts'
import type { Decisions } from '../../decide.ts'
import { bestOf } from '../../sweep/best.ts'
import { type Combination, codeRunsOf, codeTimes, combinationsOf } from '../../sweep/plan.ts'
import { type Tried, trialOf, triedOf } from '../../sweep/tried.ts'
import { packJson, unpackJson } from '../packed.ts'
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
}

/** Tries what is not tried yet, and stores each result. */
export async function tryAll(swept: SweepParts): Promise<Swept> {
  const { sweep, parts, plan, bot, stored } = swept
  const combinations = combinationsOf(sweep, plan.seed)
  const tried = stored.map((result) => unpackJson(result) as Tried)
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
    tried.push(result)
    await progress.over(number, result)
  }
  const best = bestOf(tried, sweep)
  return {
    ...{ plan: planFor(plan, combinations[best]!), bot: botFor(bot, combinations[best]!) },
    ...{ tried, best, others: tried.filter((_, number) => number !== best).map(trialOf) },
    ...{ runsDone: progress.runs, decisions: latest?.decisions },
  }
}

/** What names the result of a sweep. */
export function digestsOf({ tried }: Swept): string[] {
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
  async over(number: number, result: Tried): Promise<void> {
    const place = { bot: 0, kind: 'combination' as const, number, first: number, records: 1 }
    await this.#send({ type: 'part', part: { ...place, content: packJson(result) } })
    this.within(number + 1, 0)
    await this.#sent
  }
}
