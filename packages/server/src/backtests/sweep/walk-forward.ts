/**
 * Walk-forward: parameters are chosen on one stretch of time and traded on the next one, window after window. Only the
 * stretches that nothing was chosen on count.
 */
import { type Backtest, type BotPlan, type DecidePlan, tradeDecided } from '../backtest.ts'
import type { Decisions } from '../decide.ts'
import type { MarketData } from '../market-data.ts'
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
  data: MarketData,
  { first, end }: Stretch,
  { trainMs, testMs, isAnchored }: WalkPlan,
): WalkWindow[] {
  const windows: WalkWindow[] = []
  const startMs = data.candles.times[first]!
  const at = (ms: number) => Math.min(end, data.firstFrom(ms))
  for (let fromMs = startMs; at(fromMs + trainMs) < end; fromMs += testMs) {
    const training = { first: at(isAnchored ? startMs : fromMs), end: at(fromMs + trainMs) }
    const test = { first: training.end, end: at(fromMs + trainMs + testMs) }
    if (training.first < training.end && test.first < test.end) windows.push({ training, test })
  }
  return windows
}

/** Code with one set of parameters, and what it decided along all candles. It must not ask what its bot holds. */
export type Candidate = { plan: DecidePlan; decisions: Decisions }

/** `chosen`: the number of the candidate. `trained`: its return in the training, which was the best, in percent. */
export type WalkStep = WalkWindow & { chosen: number; trained: number }

export type WalkForward = { steps: WalkStep[]; plan: DecidePlan; backtest: Backtest }

/**
 * Chooses the candidate with the best return in each training, the first one if several are, and has one bot follow in each
 * test what the chosen one decided. The bot keeps its position from test to test.
 * @param windows at least one, whose tests follow one another
 */
export async function walkForward(
  candidates: readonly Candidate[],
  bot: BotPlan,
  windows: readonly WalkWindow[],
): Promise<WalkForward> {
  const steps: WalkStep[] = []
  for (const window of windows) {
    let [chosen, trained] = [0, Number.NEGATIVE_INFINITY]
    for (const [index, candidate] of candidates.entries()) {
      const result = await returnOf(candidate, bot, window.training)
      if (result > trained) [chosen, trained] = [index, result]
    }
    steps.push({ ...window, chosen, trained })
  }
  const [{ plan }] = candidates as [Candidate]
  const [first, end] = [windows[0]!.test.first, windows.at(-1)!.test.end]
  const whole = { ...plan, env: {}, first, end }
  return { steps, plan: whole, backtest: await tradeDecided(whole, bot, joined(candidates, steps)) }
}

async function returnOf(
  { plan: { data }, decisions }: Candidate,
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

/** What the chosen ones decided in their tests. Runs and failures are those of all. */
function joined(candidates: readonly Candidate[], steps: readonly WalkStep[]): Decisions {
  const all = candidates.map(({ decisions }) => decisions)
  const sum = (of: (decisions: Decisions) => number) => all.reduce((total, each) => total + of(each), 0)
  const inOrder = <Record extends { atMs: number }>(of: (decisions: Decisions) => Record[]) =>
    all.flatMap(of).sort((one, other) => one.atMs - other.atMs)
  return {
    ...all[0]!,
    ...{ runs: sum(({ runs }) => runs), skipped: sum(({ skipped }) => skipped) },
    ...{ failed: sum(({ failed }) => failed), violated: sum(({ violated }) => violated) },
    withheld: sum(({ withheld }) => withheld),
    failures: inOrder(({ failures }) => failures),
    violations: inOrder(({ violations }) => violations),
    ...{ logs: [], stoppedMs: null, storage: null },
    signals: steps.flatMap(({ chosen, test }) =>
      all[chosen]!.signals.filter(({ index }) => index >= test.first && index < test.end),
    ),
  }
}
