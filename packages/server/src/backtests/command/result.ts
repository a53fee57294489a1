/** What a backtest came to, as JSON. The same code, candles and options give the same text, and so the same digest. */

import { presentSettings } from '../../bots/settings.ts'
import type { Backtest, BotPlan, DecidePlan } from '../backtest.ts'
import { digestOf } from '../backtest.ts'
import { basisOf } from '../report/basis.ts'
import { measure, type ShownMetric } from '../report/metric.ts'
import { metrics } from '../report/metrics.ts'

export type Result = { plan: DecidePlan; bot: BotPlan; backtest: Backtest; figures: ShownMetric[] }

export function resultOf(plan: DecidePlan, bot: BotPlan, backtest: Backtest): Result {
  return { plan, bot, backtest, figures: measure(metrics, basisOf(backtest.traded)) }
}

/** Without the candles, which the reader has. */
export function jsonOf({ plan, bot, backtest, figures }: Result) {
  const { data, code, warmUp, first, end, env, seed, answers } = plan
  const { decisions, traded } = backtest
  const { candles: _, bot: __, ...rest } = traded
  const { times, opens, highs, lows, closes, volumes } = data.candles
  const result = {
    request: {
      code: digestOf(code),
      candles: digestOf([times, opens, highs, lows, closes, volumes].map((column) => Array.from(column))),
      answers: digestOf(answers),
      symbol: data.symbol,
      period_ms: data.candles.periodMs,
      warmup_from: times[warmUp],
      from: times[first],
      to: data.endOf(end - 1),
      parameters: env,
      seed,
      bot: presentSettings(bot.settings),
      at_end: bot.atEnd,
    },
    gaps: snake(data.gaps(warmUp, end)),
    figures: Object.fromEntries(figures.map(({ name, value, reason }) => [name, { value, reason }])),
    decisions: snake(decisions),
    ...(snake(rest) as object),
  }
  return { digest: digestOf(result), ...result }
}

/** The same value with names as the API spells them. The names in variables and options stay. */
function snake(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snake)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      snake(field),
    ]),
  )
}
