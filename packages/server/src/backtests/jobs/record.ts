import type { Static } from 'typebox'
import { presentSettings } from '../../bots/settings.ts'
import type { BacktestMarket, SweepSummary } from '../../db/schema.ts'
import type { StoredBacktest } from './backtests.ts'
import type { BacktestRecord } from './fields.ts'
import { presentModel } from './model-fields.ts'
import { presentResult } from './result-record.ts'
import { presentWalk } from './walk-fields.ts'

/** A backtest as the API and live streams show it. */
export function presentBacktest(backtest: StoredBacktest): Static<typeof BacktestRecord> {
  const { id, status, version, symbol, plan, runs, runsDone, results, digest, error } = backtest
  return {
    ...{ id, status, strategy_id: backtest.strategyId, version, symbol },
    ...{ source: plan.source ?? 'candles', bot_webhook_id: plan.botWebhookId ?? null },
    ...{ webhook_id: plan.deliveries?.webhookId ?? null, deliveries: plan.deliveries?.count ?? null },
    ...{ storage: plan.starts?.storage ?? 'empty', last_trigger: plan.starts?.lastTrigger ?? 'empty' },
    candle_id: plan.candleId ?? null,
    ...{ candles: backtest.candleCount, period_ms: backtest.periodMs },
    ...{ from: isoOf(plan.fromMs), to: isoOf(plan.toMs), warmup_from: isoOf(plan.warmUpFromMs) },
    ...{
      parameters: plan.parameters,
      http: plan.http ?? 'none',
      market: presentMarket(plan.market),
      seed: plan.seed,
      at_end: plan.atEnd,
      examine: plan.examines,
    },
    model: plan.model === undefined ? null : presentModel(plan.model, backtest.modelTokens),
    sweep: presentSweep(plan.sweep),
    progress: { runs, done: runsDone },
    bots: plan.bots.map(({ id: botId, name, settings }, index) => {
      const result = results?.[index]
      return {
        ...{ number: index + 1, id: botId, name, settings: presentSettings(settings) },
        result: result === undefined ? null : presentResult(result),
      }
    }),
    ...{ digest, error },
    created_at: backtest.createdAt.toISOString(),
    started_at: backtest.startedAt?.toISOString() ?? null,
    finished_at: backtest.finishedAt?.toISOString() ?? null,
  }
}

function presentSweep(sweep: SweepSummary | undefined) {
  if (sweep === undefined) return null
  const { endAtDrawdown = null, walk, ...rest } = sweep
  const walkForward = walk === undefined ? null : presentWalk(walk)
  return { ...rest, end_at_drawdown_percent: endAtDrawdown, walk_forward: walkForward }
}

function presentMarket(market: BacktestMarket | undefined) {
  if (market === undefined) return null
  const { participation, latencyMs, sizeStep, minSize, minNotional, maintenance, funding } = market
  return {
    ...{ participation, latency_ms: latencyMs, size_step: sizeStep, min_size: minSize },
    ...{ min_notional: minNotional, maintenance },
    funding: funding && {
      ...{ candle_id: funding.candleId, assume: funding.assume, every_hours: funding.everyHours },
      ...{ moments: funding.moments, unknown: funding.unknown },
    },
  }
}

function isoOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}
