import { type Static, Type } from 'typebox'
import { readBodyMoment } from '../../base/body-moment.ts'
import { AppError, invalidField } from '../../base/errors.ts'
import { signedRequest } from '../../http/authentication.ts'
import { getRoute, listRoute } from '../../http/crud.ts'
import { errorResponses, IdParameter, Moment, Nullable, Timestamp } from '../../http/schemas.ts'
import type { App, Routes } from '../../http/types.ts'
import { NoSuchCandles } from '../candles/candle-source.ts'
import { NoSuchExchange } from '../candles/market-candles.ts'
import { NoSuchMarket, VenueUnreachable } from '../price-source.ts'
import type { Download, Downloads } from './downloads.ts'
import { demandInterval, kinds } from './record-routes.ts'

const tags = ['Candles']
const path = '/candle/download'

const DownloadRecord = Type.Object({
  id: Type.Integer(),
  series_id: Nullable(Type.Integer({ description: 'The series that it fills; null before its first page.' })),
  kind: kinds,
  exchange: Type.String(),
  service: Type.String(),
  symbol: Type.String({ description: 'As the service writes it, such as `BTC/USDT`.' }),
  interval: Nullable(Type.String()),
  from: Timestamp,
  to: Timestamp,
  next: { ...Timestamp, description: 'What is stored reaches to here.' },
  progress: Type.Number({ description: 'From 0 to 1.' }),
  status: Type.Enum(['QUEUED', 'RUNNING', 'FINISHED', 'FAILED', 'CANCELLED']),
  reason: Nullable(Type.String({ description: 'Why it failed, or why it waits for its next attempt.' })),
  stored: Type.Integer({ description: 'How many rows it has added.' }),
  repeated: Type.Integer({ description: 'How many were stored already, with the same values.' }),
  changed: Type.Integer({ description: 'How many were stored already, with other values. Those stay.' }),
  created_at: Timestamp,
  finished_at: Nullable(Timestamp),
})

const DownloadBody = Type.Object(
  {
    kind: Type.Optional(kinds),
    exchange: Type.String({
      maxLength: 50,
      description:
        'An exchange: its id in the catalogue, its identifier such as `binance`, or its member of `$.Exchange`.',
    }),
    service: Type.Optional(
      Type.Union([Type.Literal('spot'), Type.Literal('futures')], {
        description: 'Default: `spot`, or `futures` if there is no such symbol on spot.',
      }),
    ),
    symbol: Type.String({ minLength: 1, maxLength: 100, description: 'A symbol in any spelling.' }),
    interval: Type.Optional(
      Type.String({ maxLength: 10, description: 'Such as `1m`, `4h` or `1d`. Required for candles.' }),
    ),
    from: Moment('The first candle opens at this time or later.'),
    to: Type.Optional(Moment('The last candle opens before this time. Default: now.')),
  },
  {
    examples: [{ exchange: 'binance', symbol: 'btcusdt', interval: '1h', from: '2025-01-01T00:00:00Z' }],
  },
)

/** Downloads of candles from exchanges. */
export function downloadRoutes(downloads: Downloads): Routes {
  return (scope) => {
    listRoute(scope, path, {
      tags,
      summary: 'List your downloads of candles',
      description: 'The newest first.',
      item: DownloadRecord,
      list: async (userId, window) => (await downloads.list(userId, window)).map(present),
      count: (userId) => downloads.count(userId),
    })
    getRoute(scope, path, {
      tags,
      summary: 'Read a download of candles',
      description: 'Its `progress` says how far it is, and its `reason` why it failed or waits.',
      item: DownloadRecord,
      get: async (userId, id) => present(await downloads.get(userId, id)),
    })
    startDownload(scope, downloads)
    cancelDownload(scope, downloads)
  }
}

function startDownload(scope: App, downloads: Downloads): void {
  scope.post(
    path,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: 'Download candles or funding rates from an exchange',
        description:
          'A node works on it, page by page, within the share of requests that candles have at the exchange. If the node is killed, another one goes on. All accounts share what is stored. An account has at most five downloads in progress.',
        body: DownloadBody,
        response: { 202: DownloadRecord, ...errorResponses(400, 401, 429, 500, 503) },
      },
    },
    async ({ principal, body }, reply) => {
      const { kind = 'candles', exchange, symbol, interval = '', from, to } = body
      demandInterval(kind, interval)
      if (kind === 'funding' && body.service === 'spot') {
        throw invalidField('service', 'must be `futures` or left out: spot has no funding rates')
      }
      const service = kind === 'funding' ? 'futures' : body.service
      const span = {
        fromMs: readBodyMoment('from', from),
        toMs: to === undefined ? undefined : readBodyMoment('to', to),
      }
      const request = { kind, exchange, service, symbol, interval, ...span }
      const download = await downloads.start(principal.userId, request).catch(refuse)
      return reply.code(202).send(present(download))
    },
  )
}

function cancelDownload(scope: App, downloads: Downloads): void {
  scope.put(
    `${path}/:id/status`,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: 'Cancel a download of candles',
        description: 'What is stored stays. A download of the same span goes on from there quickly.',
        params: IdParameter,
        body: Type.Object({ status: Type.Literal('CANCELLED') }, { examples: [{ status: 'CANCELLED' }] }),
        response: { 200: DownloadRecord, ...errorResponses(400, 401, 404, 409, 500) },
      },
    },
    async ({ principal, params }) => present(await downloads.cancel(principal.userId, params.id)),
  )
}

function present(download: Download): Static<typeof DownloadRecord> {
  const { id, seriesId, kind, exchange, service, symbol, interval, fromMs, toMs, nextMs } = download
  const { status, reason, stored, repeated, changed, createdAt, finishedAt } = download
  const isFinished = status === 'FINISHED'
  return {
    ...{ id, series_id: seriesId, kind, exchange, service, symbol },
    interval: interval === '' ? null : interval,
    ...{ from: textOf(fromMs), to: textOf(toMs), next: textOf(Math.min(nextMs, toMs)) },
    progress: isFinished ? 1 : Math.min(1, (nextMs - fromMs) / (toMs - fromMs)),
    ...{ status, reason, stored, repeated, changed },
    created_at: createdAt.toISOString(),
    finished_at: finishedAt?.toISOString() ?? null,
  }
}

function textOf(ms: number): string {
  return new Date(ms).toISOString()
}

/** Turns what the market cannot answer into errors of the request or of the exchange. */
function refuse(error: unknown): never {
  const told = (field: string, { message }: Error) =>
    new AppError('request_invalid', message, { details: [{ field: `body.${field}`, message }] })
  if (error instanceof NoSuchMarket) throw told('symbol', error)
  if (error instanceof NoSuchExchange) throw told(error.field, error)
  if (error instanceof NoSuchCandles) throw told(error.field === 'since' ? 'from' : error.field, error)
  if (error instanceof VenueUnreachable) {
    throw new AppError('service_unavailable', error.message, { cause: error, retryAfterSeconds: 2 })
  }
  throw error
}
