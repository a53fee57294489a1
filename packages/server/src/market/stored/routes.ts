import { type Static, Type } from 'typebox'
import type { Cell } from '../../base/csv.ts'
import { invalidField } from '../../base/errors.ts'
import { given } from '../../base/given.ts'
import { signedRequest } from '../../http/authentication.ts'
import { getRoute, listRoute } from '../../http/crud.ts'
import { CsvExports } from '../../http/csv.ts'
import { readSpan } from '../../http/moments.ts'
import {
  errorResponses,
  IdParameter,
  Moment,
  PageQuery,
  SuccessMessage,
  withoutNul,
} from '../../http/schemas.ts'
import type { App, Routes } from '../../http/types.ts'
import type { CandleStore, Series, SeriesFilter, Span } from './candle-store.ts'
import type { ImportFile, Imports } from './imports.ts'
import { figuresOf } from './parts.ts'
import {
  CoverageRecord,
  demandInterval,
  kinds,
  presentCoverage,
  presentSeries,
  SeriesRecord,
  sources,
} from './record-routes.ts'

/** Some hundred thousand lines. A longer file comes in several requests. */
const mostBytes = 8 * 1024 * 1024

const tags = ['Candles']
const described = { tags, security: signedRequest } as const

const SeriesQuery = Type.Object({
  ...PageQuery.properties,
  kind: Type.Optional(kinds),
  source: Type.Optional(sources),
  exchange: Type.Optional(
    Type.String({ maxLength: 50, pattern: withoutNul, description: 'Its identifier, such as `binance`.' }),
  ),
  symbol: Type.Optional(
    Type.String({ maxLength: 100, pattern: withoutNul, description: 'As the series has it.' }),
  ),
  interval: Type.Optional(Type.String({ maxLength: 10, pattern: withoutNul })),
})

const NewSeries = Type.Object(
  {
    name: Type.Optional(Type.String({ maxLength: 200 })),
    kind: Type.Optional(kinds),
    symbol: Type.String({ minLength: 1, maxLength: 100, description: 'Such as `BTC/USDT`.' }),
    interval: Type.Optional(
      Type.String({ maxLength: 10, description: 'Such as `1m`, `4h` or `1d`. Required for candles.' }),
    ),
    exchange: Type.Optional(
      Type.String({ maxLength: 50, description: 'Where the candles are from, as a note.' }),
    ),
    service: Type.Optional(Type.Union([Type.Literal('spot'), Type.Literal('futures')])),
  },
  { examples: [{ name: 'EUR/USD of my broker', symbol: 'EUR/USD', interval: '1h' }] },
)

const ImportBody = Type.Object(
  {
    csv: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: mostBytes,
        description:
          'CSV with the header `time,open,high,low,close`, with or without `,volume`; for funding rates `time,rate`. The oldest row comes first.',
      }),
    ),
    parquet: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: mostBytes,
        description:
          'Instead of `csv`: a Parquet file in Base64, with columns of these names. At most 100,000 rows, and 64 MB without compression.',
      }),
    ),
    first_line: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000_000,
        description:
          'The number of the first line after the header in messages, for a file in several requests. Default 2, and 1 for Parquet, whose rows count as lines.',
      }),
    ),
  },
  { examples: [{ csv: 'time,open,high,low,close,volume\n1704067200000,1.1,1.2,1.05,1.15,10.5\n' }] },
)

const ImportAnswer = Type.Object({
  added: Type.Integer(),
  repeated: Type.Integer({ description: 'Rows that were stored already, with the same values.' }),
  dropped: Type.Integer({ description: '1 if the last candle has not ended. It was left out.' }),
})

const span = {
  since: Type.Optional(Moment('Only candles that open at this time or later.')),
  until: Type.Optional(Moment('Only candles that open at this time or earlier.')),
}

/** Stored candles and funding rates. */
export function candleRoutes(store: CandleStore, imports: Imports): Routes {
  return (scope) => {
    listRoute(scope, '/candle', {
      tags,
      summary: 'List stored series of candles',
      description:
        'Your own, and those from exchanges and of seen prices, which all accounts share. In order of id.',
      item: SeriesRecord,
      query: SeriesQuery,
      list: async (userId, window, query) =>
        (await store.list(userId, filterOf(query), window)).map(presentSeries),
      count: (userId, query) => store.count(userId, filterOf(query)),
    })
    getRoute(scope, '/candle', {
      tags,
      summary: 'Read a stored series of candles',
      description: 'One of yours, or one that all accounts share.',
      item: SeriesRecord,
      get: async (userId, id) => presentSeries(await store.get(userId, id)),
    })
    createSeries(scope, store)
    importRows(scope, imports)
    readCoverage(scope, store)
    exportRows(scope, store)
    deleteSeries(scope, store)
  }
}

function createSeries(scope: App, store: CandleStore): void {
  scope.post(
    '/candle',
    {
      schema: {
        ...described,
        summary: 'Make a series of candles of your own',
        description: 'It is empty: import into it. Nobody else can use it.',
        body: NewSeries,
        response: { 201: SeriesRecord, ...errorResponses(400, 401, 409, 500) },
      },
    },
    async ({ principal, body }, reply) => {
      const { name = '', kind = 'candles', symbol, interval = '', exchange = null, service = null } = body
      demandInterval(kind, interval)
      const made = await store.create(principal.userId, { name, kind, symbol, interval, exchange, service })
      return reply.code(201).send(presentSeries(made))
    },
  )
}

function importRows(scope: App, imports: Imports): void {
  scope.post(
    '/candle/:id/import',
    {
      bodyLimit: mostBytes,
      schema: {
        ...described,
        summary: 'Import candles or funding rates',
        description:
          'Adds all rows of a file to a series of yours, or none: the answer 400 names each wrong line. A row that is stored already with the same values counts as repeated. At most 8 MB in one request; send a longer file in several, each with the header.',
        params: IdParameter,
        body: ImportBody,
        response: { 200: ImportAnswer, ...errorResponses(400, 401, 404, 409, 413, 429, 500) },
      },
    },
    ({ principal, params, body }) => imports.add(principal.userId, params.id, fileOf(body)),
  )
}

/** @throws {AppError} 400 unless the request has one file */
function fileOf({ csv, parquet, first_line: firstLine }: Static<typeof ImportBody>): ImportFile {
  if (csv !== undefined && parquet !== undefined) throw invalidField('parquet', 'cannot come with `csv`')
  if (csv !== undefined) return { csv, firstLine: firstLine ?? 2 }
  if (parquet === undefined) throw invalidField('csv', 'is missing; give it, or `parquet`')
  const bytes = Buffer.from(parquet, 'base64')
  // The decoder takes anything.
  if (bytes.toString('base64') !== parquet) throw invalidField('parquet', 'must be a file in Base64')
  return { parquet: bytes, firstLine: firstLine ?? 1 }
}

function readCoverage(scope: App, store: CandleStore): void {
  scope.get(
    '/candle/:id/coverage',
    {
      schema: {
        ...described,
        summary: 'Read what a series has and lacks',
        description: 'Its gaps, and the candles whose values an exchange changed later, in a span of time.',
        params: IdParameter,
        querystring: Type.Object(span),
        response: { 200: CoverageRecord, ...errorResponses(400, 401, 404, 500) },
      },
    },
    async ({ principal, params, query }) => {
      const series = await store.get(principal.userId, params.id)
      return presentCoverage(await store.coverage(series, spanOf(query)), await store.changes(series.id))
    },
  )
}

function exportRows(scope: App, store: CandleStore): void {
  const running = new CsvExports()
  scope.get(
    '/candle/:id/candles.csv',
    {
      schema: {
        ...described,
        summary: 'Export a series',
        description:
          'All candles or funding rates in CSV, the oldest first, with times in Unix milliseconds and each number exactly as it was given, without zeros at its end. Another series can import it.',
        params: IdParameter,
        querystring: Type.Object(span),
        response: { 200: table, ...errorResponses(400, 401, 404, 429, 500) },
      },
    },
    async ({ principal: { userId }, params: { id }, query }, reply) => {
      const series = await store.get(userId, id)
      const file = {
        name: `candles-${id}`,
        columns: ['time', ...figuresOf[series.kind]],
        rows: linesOf(store, series, spanOf(query)),
      }
      return (await running.open(userId, reply, file)) as never
    },
  )
}

const table = { description: 'A file.', content: { 'text/csv': { schema: Type.String() } } }

async function* linesOf(store: CandleStore, series: Series, asked: Span): AsyncGenerator<Cell[][]> {
  for await (const { times, figures } of store.readExact(series, asked)) {
    yield Array.from(times, (time, row) => [time, ...figures.map((column) => column[row]!)])
  }
}

function deleteSeries(scope: App, store: CandleStore): void {
  scope.delete(
    '/candle/:id',
    {
      schema: {
        ...described,
        summary: 'Delete a stored series',
        description:
          'Only an administrator deletes what came from an exchange or what strategies have seen, because all accounts share it.',
        params: IdParameter,
        response: { 200: SuccessMessage, ...errorResponses(400, 401, 403, 404, 500) },
      },
    },
    async ({ principal: { userId, role }, params }) => {
      await store.delete(userId, role === 'admin', params.id)
      return { message: 'Success' as const }
    },
  )
}

function filterOf({ kind, source, exchange, symbol, interval }: SeriesFilter): SeriesFilter {
  return given({ kind, source, exchange, symbol, interval })
}

/** Both ends of the query belong to the span. */
function spanOf(query: { since?: string; until?: string }): Span {
  const { since, until } = readSpan(query)
  return given({ fromMs: since?.getTime(), toMs: until === undefined ? undefined : until.getTime() + 1 })
}
