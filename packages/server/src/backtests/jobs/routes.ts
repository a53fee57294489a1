import { type TSchema, Type } from 'typebox'
import { signedRequest } from '../../http/authentication.ts'
import { deleteRoute, eventsRoute, getRoute } from '../../http/crud.ts'
import { CsvExports } from '../../http/csv.ts'
import { readMoment } from '../../http/moments.ts'
import { answerEvents } from '../../http/paging.ts'
import { EventQuery, EventsOf, errorResponses, IdParameter } from '../../http/schemas.ts'
import type { App, Routes } from '../../http/types.ts'
import type { Backtests } from './backtests.ts'
import { tableOf } from './csv-tables.ts'
import {
  BacktestRecord,
  CandleQuery,
  CandlesRecord,
  EquityRecord,
  EstimateRecord,
  FillRecord,
  mostBots,
  mostChartCandles,
  NewBacktest,
  RunRecord,
  SignalRecord,
  TradeRecord,
} from './fields.ts'
import { GivenRecord, presentGiven } from './given.ts'
import { presentBacktest } from './record.ts'
import { type RecordKind, recordKinds } from './records.ts'
import { ReportRecord } from './report-record.ts'
import { SweepRecord } from './sweep-fields.ts'

/** The page may show itself, and nothing else. */
const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"

const tags = ['Backtests']
const path = '/backtest'
/** Ten thousand candles, code, and answers. */
const mostBytes = 4 * 1024 * 1024

const botField = Type.Optional(
  Type.Integer({ minimum: 1, maximum: mostBots, description: 'The bot by its `number`. Default 1.' }),
)
const ReportQuery = Type.Object({
  bot: botField,
  format: Type.Optional(
    Type.Enum(['json', 'html', 'csv'], {
      description:
        '`html`: a page for people, without scripts, which loads nothing. `csv`: a table, see `table`. Default `json`.',
    }),
  ),
  table: Type.Optional(
    Type.Enum(['figures', ...recordKinds], { description: 'What a CSV file has. Default `figures`.' }),
  ),
})
const RecordQuery = Type.Object({ ...EventQuery.properties, bot: botField })

/** Where users start backtests, and read what came of them. */
export function backtestRoutes(backtests: Backtests): Routes {
  const exports = new CsvExports()
  return (scope) => {
    start(scope, backtests)
    eventsRoute(scope, path, {
      tags,
      summary: 'List your backtests, newest first',
      description: 'The service deletes old ones after the configured retention period.',
      item: BacktestRecord,
      list: async (userId, window) => (await backtests.list(userId, window)).map(presentBacktest),
      count: (userId) => backtests.count(userId),
    })
    getRoute(scope, path, {
      tags,
      summary: 'Read a backtest with its progress',
      description:
        'Its `progress` grows while it runs, and its `bots` have the most important figures once it has ended.',
      item: BacktestRecord,
      get: async (userId, id) => presentBacktest(await backtests.get(userId, id)),
    })
    cancel(scope, backtests)
    deleteRoute(scope, path, {
      tags,
      summary: 'Delete a backtest with its report',
      description: 'One that runs ends.',
      delete: (userId, id) => backtests.delete(userId, id),
    })
    readGiven(scope, backtests)
    readReport(scope, backtests, exports)
    readSweep(scope, backtests)
    readCandles(scope, backtests)
    listRecords(scope, backtests, 'trade', 'Trades', TradeRecord)
    listRecords(scope, backtests, 'fill', 'Fills', FillRecord)
    listRecords(scope, backtests, 'equity', 'Equity', EquityRecord)
    listRecords(scope, backtests, 'signal', 'Signals, with what became of them,', SignalRecord)
    listRecords(scope, backtests, 'run', 'Runs that logged something, failed or broke a rule', RunRecord)
  }
}

function start(scope: App, backtests: Backtests): void {
  scope.post(
    path,
    {
      bodyLimit: mostBytes,
      schema: {
        tags,
        security: signedRequest,
        summary: 'Start a backtest',
        description:
          'Executes the code at the end of each candle, or on each stored delivery of a data webhook, and has paper bots follow what it decides. One backtest of an account runs at a time, and 20 may wait (429). With `sweep`, it tries many combinations of parameters and settings. With `estimate`, it answers what the backtest would take, and starts nothing. Answers 409 if something adds to the series of candles all the time.',
        body: NewBacktest,
        response: {
          200: EstimateRecord,
          202: BacktestRecord,
          ...errorResponses(400, 401, 403, 404, 409, 413, 415, 429, 500),
        },
      },
    },
    async ({ principal, body }, reply) => {
      if (body.estimate === true) {
        const { longestGapMs, unknownRates, ...estimate } = await backtests.estimate(principal.userId, body)
        return reply
          .code(200)
          .send({ ...estimate, longest_gap_ms: longestGapMs, unknown_rates: unknownRates })
      }
      return reply.code(202).send(presentBacktest(await backtests.start(principal.userId, body)))
    },
  )
}

function cancel(scope: App, backtests: Backtests): void {
  scope.put(
    `${path}/:id/status`,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: 'Cancel a backtest',
        description: 'It ends without a report. Answers 409 if it has ended.',
        params: IdParameter,
        body: Type.Object({ status: Type.Enum(['CANCELLED']) }, { examples: [{ status: 'CANCELLED' }] }),
        response: { 200: BacktestRecord, ...errorResponses(400, 401, 403, 404, 409, 413, 415, 500) },
      },
    },
    async ({ principal, params }) => presentBacktest(await backtests.cancel(principal.userId, params.id)),
  )
}

function readGiven(scope: App, backtests: Backtests): void {
  scope.get(
    `${path}/:id/given`,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: 'Read what came with the request of a backtest',
        description:
          'What its record only names: the storage and the last trigger that were given, answers, and the values of a sweep, each as `POST /backtest` takes it.',
        params: IdParameter,
        response: { 200: GivenRecord, ...errorResponses(400, 401, 404, 500) },
      },
    },
    async ({ principal: { userId }, params: { id } }) =>
      presentGiven(await backtests.reports.plan(userId, id)),
  )
}

function readReport(scope: App, backtests: Backtests, exports: CsvExports): void {
  scope.get(
    `${path}/:id/report`,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: 'Read the report of a backtest',
        description: 'docs/backtests.md describes each figure. Answers 409 until it has ended.',
        params: IdParameter,
        querystring: ReportQuery,
        response: {
          200: {
            description: 'The report.',
            content: {
              'application/json': { schema: ReportRecord },
              'text/html': { schema: Type.String() },
              'text/csv': { schema: Type.String() },
            },
          },
          ...errorResponses(400, 401, 404, 409, 429, 500),
        },
      },
    },
    async ({ principal: { userId }, params: { id }, query }, reply) => {
      const { bot = 1, format = 'json', table = 'figures' } = query
      if (format === 'json') {
        reply.type('application/json; charset=utf-8')
        return (await backtests.reports.report(userId, id, bot)) as never
      }
      if (format === 'html') {
        const page = await backtests.reports.page(userId, id, bot)
        return reply
          .type('text/html; charset=utf-8')
          .header('content-security-policy', pagePolicy)
          .send(page as never)
      }
      const { columns, rows } = await tableOf(backtests.reports, { userId, id, bot, table })
      const name = `backtest-${id}-bot-${bot}-${table}`
      return (await exports.open(userId, reply, { name, columns, rows })) as never
    },
  )
}

function readSweep(scope: App, backtests: Backtests): void {
  scope.get(
    `${path}/:id/sweep`,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: 'Read the combinations of a sweep',
        description:
          'Each with its most important figures, and what surrounds the best one. Answers 404 if the backtest is no sweep, 409 until it has ended.',
        params: IdParameter,
        response: { 200: SweepRecord, ...errorResponses(400, 401, 404, 409, 500) },
      },
    },
    async ({ principal: { userId }, params: { id } }) => (await backtests.reports.sweep(userId, id)) as never,
  )
}

function readCandles(scope: App, backtests: Backtests): void {
  scope.get(
    `${path}/:id/candle`,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: 'Candles of a backtest, for charts',
        description:
          'The candles on which its bots traded, oldest first. Of more than 20,000, neighbours are joined: `intervals` says which there are. Answers 409 until it has ended.',
        params: IdParameter,
        querystring: CandleQuery,
        response: { 200: CandlesRecord, ...errorResponses(400, 401, 404, 409, 500) },
      },
    },
    async ({ principal: { userId }, params: { id }, query }) => {
      const { interval, count = mostChartCandles, until } = query
      const untilMs = until === undefined ? null : readMoment('until', until).getTime()
      const { symbol } = await backtests.get(userId, id)
      return { symbol, ...(await backtests.reports.candles(userId, id, { interval, count, untilMs })) }
    },
  )
}

function listRecords<Item extends TSchema>(
  scope: App,
  backtests: Backtests,
  kind: RecordKind,
  what: string,
  item: Item,
): void {
  scope.get(
    `${path}/:id/${kind}`,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: `${what} of a backtest, newest first`,
        description: 'Answers 409 until it has ended.',
        params: IdParameter,
        querystring: RecordQuery,
        response: { 200: EventsOf(item), ...errorResponses(400, 401, 404, 409, 500) },
      },
    },
    async ({ principal: { userId }, params: { id }, query }) => {
      const { bot = 1, ...window } = query
      return (await answerEvents(window, {
        list: (part) => backtests.reports.records(userId, id, bot, kind, part),
        count: () => backtests.reports.recordCount(userId, id, bot, kind),
      })) as never
    },
  )
}
