import type { Backtest, Operations } from '@tickwright/client'
import { Type } from 'typebox'
import { omit, pageOf, partOfEvents, pick } from './results.ts'
import { Id, oneOf, paging, readingTool, Since, SymbolName, writingTool } from './tool.ts'

type NewBacktest = Operations['POST /api/v2/backtest {body}']['arguments'][0]
type Sweep = Operations['GET /api/v2/backtest/{id}/sweep']['answer']
type Report = Operations['GET /api/v2/backtest/{id}/report?{query}']['answer']

const listSeries = readingTool({
  name: 'list_candle_series',
  description: 'List stored candles and funding rates.',
  input: { symbol: SymbolName, ...paging },
  run: ({ symbol, ...page }, { api }) =>
    pageOf(
      page,
      (window) => api('GET /api/v2/candle?{query}', { symbol, ...window }),
      (series) =>
        pick(series, [
          ...(['id', 'kind', 'name', 'source', 'exchange', 'service', 'symbol', 'interval'] as const),
          ...(['rows', 'first_at', 'last_at'] as const),
        ]),
    ),
})

const listBacktests = readingTool({
  name: 'list_backtests',
  description: 'List your backtests, newest first.',
  input: { before: Type.Optional(Id), limit: paging.limit },
  run: ({ before, limit }, { api }) =>
    partOfEvents(
      limit,
      (most) => api('GET /api/v2/backtest?{query}', { before, limit: most }),
      shownBacktest,
    ),
})

const getBacktest = readingTool({
  name: 'get_backtest',
  description: 'Read a backtest: progress, then a report with doubts.',
  input: { id: Id, bot: Type.Optional(Type.Integer()) },
  run: async ({ id, bot = 1 }, { api }) => {
    const backtest = await api('GET /api/v2/backtest/{id}', id)
    if (backtest.status !== 'FINISHED') return { value: omit(backtest) }
    const report = await api('GET /api/v2/backtest/{id}/report?{query}', id, { bot })
    const shown = { ...shownBacktest(backtest), report: shownReport(report) }
    if (backtest.sweep === null) return { value: shown }
    const sweep = await api('GET /api/v2/backtest/{id}/sweep', id)
    return { value: { ...shown, sweep: { ...backtest.sweep, ...shownSweep(sweep) } } }
  },
})

/** A field as the API takes it, which checks it. */
function As<Name extends keyof NewBacktest>(schema: object = {}) {
  return Type.Optional(Type.Unsafe<NewBacktest[Name]>(schema))
}

const startBacktest = writingTool({
  name: 'start_backtest',
  description: 'Run code or signals with paper bots on candles. estimate: its cost. docs: backtests',
  input: {
    candle_id: Type.Optional(Id),
    symbol: SymbolName,
    candles: As<'candles'>(),
    strategy_id: Type.Optional(Id),
    version: Type.Optional(Id),
    code: Type.Optional(Type.String()),
    source: Type.Optional(oneOf(['candles', 'deliveries', 'signals'])),
    webhook_id: Type.Optional(Id),
    bot_webhook_id: Type.Optional(Id),
    model: As<'model'>(),
    model_budget: As<'model_budget'>(),
    from: Since,
    to: Since,
    warmup_from: Since,
    parameters: As<'parameters'>({ type: 'object' }),
    storage: As<'storage'>(),
    last_trigger: As<'last_trigger'>(),
    bots: As<'bots'>({ type: 'array', items: {}, description: 'ids, settings' }),
    market: As<'market'>({ type: 'object' }),
    http: As<'http'>(),
    answers: As<'answers'>(),
    seed: As<'seed'>(),
    at_end: As<'at_end'>(),
    examine: As<'examine'>(),
    sweep: As<'sweep'>({ type: 'object' }),
    estimate: Type.Optional(Type.Boolean()),
  },
  foreign: true,
  hints: { destructiveHint: false },
  run: async (body, { api }) => ({ value: omit(await api('POST /api/v2/backtest {body}', body)) }),
})

/** Without what its request was, which the agent has sent. The settings of a bot are long, and its figures are short. */
function shownBacktest({ bots, ...backtest }: Backtest): object {
  return {
    ...omit(backtest, ['period_ms', 'at_end', 'examine']),
    bots: bots.map((bot) => omit(bot, ['settings'])),
  }
}

/** What a person reads first. The API and the dashboard have the days, trades and definitions of other tools. */
function shownReport({ metrics, checks, costs, months, outcomes, ...report }: Report): object {
  return {
    ...pick(report, ['quote', 'from', 'to', 'start_equity', 'end_equity', 'candles', 'fills']),
    figures: metrics.map((figure) => pick(figure, ['label', 'unit', 'value', 'reason'])),
    checks: checks.map((check) => pick(check, ['label', 'verdict', 'says'])),
    ...{ costs, signals: outcomes },
    months: months.map(({ month, return_percent: { value } }) => ({ month, return_percent: value })),
  }
}

/** So many of the combinations are shown. The API has the others. */
const mostRanked = 10

/** The best combinations by the objective, those beside the best one, and what the middle one of all has: far less is luck. */
function shownSweep(sweep: Sweep): object {
  const { objective, best, combinations, neighbours, neighbours_mean, walk_forward: windows } = sweep
  const figure = objective as 'return_percent'
  // One that ended early is not the best, however high its figure is.
  const resultOf = (each: Sweep['combinations'][number]) =>
    (each.ended_at ?? null) === null ? (each[figure] ?? Number.NEGATIVE_INFINITY) : Number.NEGATIVE_INFINITY
  const ranked = combinations.toSorted(
    (one, other) =>
      Number(other.number === best) - Number(one.number === best) ||
      resultOf(other) - resultOf(one) ||
      one.number - other.number,
  )
  const shown = [
    'parameters',
    'settings',
    figure,
    'return_percent',
    'max_drawdown_percent',
    'trades',
  ] as const
  return {
    median: ranked[Math.floor(ranked.length / 2)]?.[figure] ?? null,
    ranking: ranked.slice(0, mostRanked).map((combination) => pick(combination, [...new Set(shown)])),
    neighbours: neighbours.map((each) => pick(each, ['name', 'value', 'change'])),
    neighbours_mean,
    ...(windows && { windows }),
  }
}

export const backtestTools = [listSeries, listBacktests, getBacktest, startBacktest]
