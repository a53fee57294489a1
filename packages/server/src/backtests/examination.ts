/** Runs a backtest again, in ways that show whether its result can be believed. */
import { createHash } from 'node:crypto'
import { type Backtest, type BacktestParts, type BotPlan, backtest, type DecidePlan } from './backtest.ts'
import type { Check } from './report/honesty/check.ts'
import { lookAhead, warmUp } from './report/honesty/signal-checks.ts'

const cutCount = 3
/** So much earlier the code begins, to see whether its signals change. So many candles before its start are needed. */
export const earlierCandles = 1_000

/**
 * Decides again on data that is cut at moments that only the seed decides, and from an earlier candle on. It takes up to
 * four times as long as the backtest.
 */
export async function examine(
  parts: BacktestParts,
  plan: DecidePlan,
  bot: BotPlan,
  done: Backtest,
): Promise<Check[]> {
  const again = async (changed: Partial<DecidePlan>) => {
    const [only] = await backtest(parts, { ...plan, ...changed }, [bot])
    return signalsOf(only!)
  }
  const { data, first } = plan
  const cuts: Parameters<typeof lookAhead>[1][number][] = []
  for (const cut of cutsOf(plan)) {
    const signals = await again({ data: data.without(data.length - cut), end: cut })
    cuts.push({ cutMs: data.endOf(cut - 1), signals })
  }
  // Of deliveries, there are only those of the backtest.
  const begin = plan.deliveries === undefined ? Math.max(0, plan.warmUp - earlierCandles) : plan.warmUp
  const earlier =
    begin < plan.warmUp
      ? { fromMs: data.candles.times[begin]!, signals: await again({ warmUp: begin }) }
      : null
  const signals = signalsOf(done)
  return [lookAhead(signals, cuts), warmUp(signals, earlier, data.candles.times[first] ?? 0)]
}

/** Without the numbers of their candles: data that ends with a signal has no candle that opens then. */
function signalsOf({ decisions }: Backtest) {
  return decisions.signals.map(({ index: _index, ...signal }) => signal)
}

/** The numbers of candles after which the data is cut, in order. The same seed gives the same ones. */
export function cutsOf({ first, end, seed }: Pick<DecidePlan, 'first' | 'end' | 'seed'>): number[] {
  const room = end - first - 1
  if (room < cutCount) return []
  const cuts = Array.from({ length: cutCount }, (_, index) => {
    const chance = createHash('sha256').update(`${seed} ${index}`).digest().readUInt32BE(0) / 2 ** 32
    return first + 1 + Math.floor(chance * room)
  })
  return [...new Set(cuts)].sort((a, b) => a - b)
}
