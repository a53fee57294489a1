/**
 * Walk-forward: parameters are chosen on one stretch of time and traded on the next one, window after window. Only the
 * stretches that nothing was chosen on count.
 */
import { type Backtest, type BotPlan, type DecidePlan, tradeDecided } from '../backtest.ts'
import { type Decisions, mostKept, noTrigger } from '../decide.ts'
import type { MarketData } from '../market-data.ts'
import type { MarketTimes } from '../market-times.ts'
import { TradePass } from '../trade.ts'
import type { EquityPoint, Traded } from '../traded.ts'

/** Candles from `first`, before `end`. */
export type Stretch = { first: number; end: number }

export type WalkWindow = { training: Stretch; test: Stretch }

export type WalkPlan = {
  trainMs: number
  testMs: number
  /** Each training begins with the first candle, instead of moving on. */
  isAnchored: boolean
}

/** The windows of a stretch of time, each a test later than the one before. The last test may be shorter. */
export function windowsOf(
  data: MarketTimes,
  { first, end }: Stretch,
  { trainMs, testMs, isAnchored }: WalkPlan,
): WalkWindow[] {
  const windows: WalkWindow[] = []
  const startMs = data.timeOf(first)
  const at = (ms: number) => Math.min(end, data.firstFrom(ms))
  for (let fromMs = startMs; at(fromMs + trainMs) < end; fromMs += testMs) {
    const training = { first: at(isAnchored ? startMs : fromMs), end: at(fromMs + trainMs) }
    const test = { first: training.end, end: at(fromMs + trainMs + testMs) }
    if (training.first < training.end && test.first < test.end) windows.push({ training, test })
  }
  return windows
}

/**
 * Code with one set of parameters. `trained`: its return in each training, in percent. `decisions`: what it decided along all
 * candles; it must not ask what its bot holds.
 */
export type Candidate = {
  parameters: Record<string, string>
  trained: readonly number[]
  decisions(): Decisions
}

/** `chosen`: the number of the candidate. `trained`: its return in the training, which was the best, in percent. */
export type WalkStep = WalkWindow & { chosen: number; trained: number }

export type WalkForward = { steps: WalkStep[]; plan: DecidePlan; backtest: Backtest }

/** What a candidate returned in each training, in percent. */
export async function trainingsOf(
  data: MarketData,
  decisions: Decisions,
  bot: BotPlan,
  windows: readonly WalkWindow[],
): Promise<number[]> {
  const returns: number[] = []
  for (const { training } of windows) returns.push(await returnOf(data, decisions, bot, training))
  return returns
}

/**
 * Chooses the candidate with the best return in each training, the first one if several are, and has one bot follow in each
 * test what the chosen one decided. The bot keeps its position from test to test.
 * @param plan of any of them
 * @param windows at least one, whose tests follow one another
 */
export async function walkForward(
  plan: DecidePlan,
  candidates: readonly Candidate[],
  bot: BotPlan,
  windows: readonly WalkWindow[],
): Promise<WalkForward> {
  const steps = windows.map((window, index): WalkStep => {
    const results = candidates.map(({ trained }) => trained[index]!)
    const trained = Math.max(...results)
    return { ...window, chosen: results.indexOf(trained), trained }
  })
  const [first, end] = [windows[0]!.test.first, windows.at(-1)!.test.end]
  const whole = { ...plan, env: {}, parameters: {}, first, end }
  return { steps, plan: whole, backtest: await tradeDecided(whole, bot, joined(candidates, steps)) }
}

/** The windows as JSON has them, with the return of each test in percent. */
export function shownSteps(
  { steps, plan: { data }, backtest }: WalkForward,
  candidates: readonly Candidate[],
) {
  const { traded } = backtest
  const equityAt = new Map(traded.equity.map(({ timeMs, equity }) => [timeMs, equity]))
  const iso = (ms: number) => new Date(ms).toISOString()
  let before = traded.startEquity
  return steps.map(({ training, test, chosen, trained }) => {
    const after = equityAt.get(data.endOf(test.end - 1)) ?? before
    const tested = before > 0 ? 100 * (after / before - 1) : 0
    before = after
    return {
      ...{
        train_from: iso(data.candles.times[training.first]!),
        test_from: iso(data.candles.times[test.first]!),
      },
      ...{ test_to: iso(data.endOf(test.end - 1)), parameters: candidates[chosen]!.parameters },
      ...{ train_return_percent: trained, test_return_percent: tested },
    }
  })
}

async function returnOf(
  data: MarketData,
  decisions: Decisions,
  bot: BotPlan,
  stretch: Stretch,
): Promise<number> {
  const pass = new TradePass({ ...bot, ...stretch, data, keepsOnlyEnd: true })
  for (const signal of decisions.signals) if (signal.index < stretch.end) pass.follow(signal)
  const { startEquity, equity } = await pass.finish()
  return startEquity > 0 ? 100 * ((equity.at(-1)?.equity ?? startEquity) / startEquity - 1) : 0
}

/** The equity after a time, in Unix ms, and what it was then. */
export function tradedSince(traded: Traded, sinceMs: number): Pick<Traded, 'startEquity' | 'equity'> {
  let { startEquity } = traded
  const equity: EquityPoint[] = []
  for (const point of traded.equity) {
    if (point.timeMs > sinceMs) equity.push(point)
    else startEquity = point.equity
  }
  return { startEquity, equity }
}

/** What the chosen ones decided in their tests. Runs and failures are those of all. One candidate at a time is read. */
function joined(candidates: readonly Candidate[], steps: readonly WalkStep[]): Decisions {
  const all: Decisions = {
    ...{ runs: 0, skipped: 0, failed: 0, violated: 0, withheld: 0, asksPositions: false },
    ...{ signals: [], failures: [], violations: [], logs: [] },
    ...{ stoppedMs: null, storage: null, lastTrigger: noTrigger },
  }
  const chosen = new Map<number, Decisions['signals']>()
  for (const [number, candidate] of candidates.entries()) {
    const { signals, ...decisions } = candidate.decisions()
    for (const name of ['runs', 'skipped', 'failed', 'violated', 'withheld'] as const)
      all[name] += decisions[name]
    all.failures = firstOf([...all.failures, ...decisions.failures])
    all.violations = firstOf([...all.violations, ...decisions.violations])
    const tests = steps.flatMap((step) => (step.chosen === number ? [step.test] : []))
    for (const { first, end } of tests) {
      chosen.set(
        first,
        signals.filter(({ index }) => index >= first && index < end),
      )
    }
  }
  return { ...all, signals: steps.flatMap(({ test }) => chosen.get(test.first) ?? []) }
}

function firstOf<Moment extends { atMs: number }>(moments: Moment[]): Moment[] {
  return moments.sort((one, other) => one.atMs - other.atMs).slice(0, mostKept)
}
