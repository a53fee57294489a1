/** What a backtest came to, as a report and as JSON. The same code, candles and options give the same text. */
import { createHash } from 'node:crypto'
import { type Backtest, type BotPlan, type DecidePlan, digestOf } from '../backtest.ts'
import type { Decisions } from '../decide.ts'
import type { JsonObject } from '../report/canonical-json.ts'
import { dailyEquity, returnsUntilLoss } from '../report/daily.ts'
import { definitionNames } from '../report/definitions/sets.ts'
import type { Check } from '../report/honesty/check.ts'
import { unexamined } from '../report/honesty/signal-checks.ts'
import { type Report, reportOf } from '../report/report.ts'
import type { Traded } from '../traded.ts'

/** `more`: what the result depends on, besides the plan and the bot. */
export type Done = { plan: DecidePlan; bot: BotPlan; backtest: Backtest; more?: JsonObject }

export type Result = Done & { report: Report }

/**
 * Each of them is one of the trials from which someone may choose the best, so the report of each counts all.
 * @param checks of the code, if it was run again
 * @param others equity of further trials
 */
export function resultsOf(
  all: readonly Done[],
  checks: readonly Check[] = unexamined,
  others: readonly Pick<Traded, 'startEquity' | 'equity'>[] = [],
): Result[] {
  const trials = [...all.map(({ backtest: { traded } }) => traded), ...others].map(
    ({ startEquity, equity }) => returnsUntilLoss(startEquity, dailyEquity(equity)),
  )
  const candles = candlesDigest(all[0]!.plan)
  return all.map((done) => {
    const { traded, doubled, reordered } = done.backtest
    const request = requestOf(done, candles)
    return {
      ...done,
      report: reportOf({
        ...{ traded, request, checks, definitions: all.length === 1 ? definitionNames : [] },
        evidence: { trials, ...(doubled && { doubled }), ...(reordered !== undefined && { reordered }) },
      }),
    }
  })
}

/** Everything that the result depends on, except what the report has anyway, and the values of variables: they are secret. */
export function requestOf({ plan, bot, more }: Done, candles: string) {
  const {
    data,
    code,
    warmUp,
    first,
    env,
    parameters = env,
    seed,
    answers,
    deliveries,
    storage,
    lastTrigger,
  } = plan
  return {
    ...{ code: digestOf(code), candles, answers: digestOf(answers), period_ms: data.candles.periodMs },
    warmup_from: warmUp < first ? new Date(data.candles.times[warmUp]!).toISOString() : null,
    ...{ parameters, seed, at_end: bot.atEnd, market: marketOf(bot) },
    ...(plan.http === 'read' && { http: plan.http, repeatable: false }),
    // Only if the code begins with something.
    ...(storage !== null && { storage: digestOf(storage) }),
    ...(lastTrigger.action !== null && { last_trigger: lastTrigger }),
    ...(deliveries && { deliveries: deliveries.digest, use_price: deliveries.usesPrice }),
    ...(plan.model && { model: plan.model }),
    ...(plan.model?.mode === 'live' && { repeatable: false }),
    ...more,
  }
}

function marketOf({ rules: { sizeStep, minSize, minNotional }, conditions = {} }: BotPlan) {
  const { participation = null, latencyMs = 0, funding, maintenanceRate = null } = conditions
  const rules = { size_step: sizeStep, min_size: minSize, min_notional: minNotional }
  return {
    ...{ ...rules, participation, latency_ms: latencyMs },
    maintenance_rate: maintenanceRate,
    funding: funding === undefined ? null : digestOf(funding),
  }
}

/** Of the bytes of the numbers: as text, millions of candles would take hundreds of megabytes. */
export function candlesDigest({ data: { candles } }: DecidePlan): string {
  const hash = createHash('sha256')
  const { times, opens, highs, lows, closes, volumes } = candles
  for (const { buffer, byteOffset, byteLength } of [times, opens, highs, lows, closes, volumes]) {
    hash.update(new Uint8Array(buffer, byteOffset, byteLength))
  }
  return hash.digest('hex')
}

/** Without the candles, which the reader has. */
export function jsonOf({ plan, backtest, report }: Result) {
  const { fills, closed, signals, payments, equity, gaveUp } = backtest.traded
  const { data, warmUp, end } = plan
  return {
    report,
    ...(gaveUp && { ended_at: new Date(gaveUp.atMs).toISOString() }),
    ...(snake({ gaps: data.gaps(warmUp, end), decisions: decidedOf(backtest) }) as object),
    ...(snake({ signals, fills, closed, ...(payments && { payments }), equity: [...equity] }) as object),
  }
}

/** After an early end, how far the code has run on depends on the machine. */
function decidedOf({ decisions, traded: { gaveUp } }: Backtest): Partial<Decisions> {
  const { runs, skipped, stoppedMs, storage, lastTrigger, withheld, ...rest } = decisions
  return gaveUp === undefined ? decisions : rest
}

/** The same value with names as the API spells them. */
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
