import { type Static, Type } from 'typebox'
import { given } from '../base/given.ts'
import { signedRequest } from '../http/authentication.ts'
import { CsvExports } from '../http/csv.ts'
import { whenGone } from '../http/gone.ts'
import { readSpan } from '../http/moments.ts'
import { errorResponses, Id, IdParameter } from '../http/schemas.ts'
import type { App, Routes } from '../http/types.ts'
import type { Bots } from './bots.ts'
import { OptionalMoment } from './record-query-routes.ts'
import {
  type ExportFilter,
  type Exports,
  fillColumns,
  orderColumns,
  paymentColumns,
  type Rows,
  tradeColumns,
} from './statistics/exports.ts'

const ExportQuery = Type.Object({
  bot_id: Type.Optional(Id),
  since: OptionalMoment('Only records from this time or later.'),
  until: OptionalMoment('Only records from this time or earlier.'),
})

const tags = ['Statistics']
const description =
  'All of them, the oldest first, in CSV (RFC 4180, UTF-8) that is safe to open in a spreadsheet: a text that begins like a formula has an apostrophe before it. A file that could not be written to its end is an incomplete answer, so the client sees an error.'
const table = { description: 'A file.', content: { 'text/csv': { schema: Type.String() } } }

/** Files with everything that bots did, for spreadsheets and bookkeeping. */
export function exportRoutes(bots: Bots, exports: Exports): Routes {
  const running = new CsvExports()
  return (scope) => {
    listExport(scope, running, 'order', 'Export the orders of your bots', orderColumns, (filter) =>
      exports.orders(filter),
    )
    listExport(scope, running, 'fill', 'Export the fills of your bots', fillColumns, (filter) =>
      exports.fills(filter),
    )
    listExport(
      scope,
      running,
      'payment',
      'Export the funding payments of your bots',
      paymentColumns,
      (filter) => exports.payments(filter),
    )
    scope.get(
      '/bot/signal/cex/:id/trades.csv',
      {
        schema: {
          tags,
          security: signedRequest,
          summary: 'Export the trades of a signal bot',
          description,
          params: IdParameter,
          response: { 200: table, ...errorResponses(400, 401, 404, 429, 500) },
        },
      },
      async ({ principal: { userId }, params: { id } }, reply) => {
        const bot = await bots.get(userId, id)
        const rows = exports.trades(bot, whenGone(reply))
        const file = { name: `trades-of-bot-${id}`, columns: tradeColumns, rows }
        return (await running.open(userId, reply, file)) as never
      },
    )
  }
}

function listExport(
  scope: App,
  running: CsvExports,
  what: 'order' | 'fill' | 'payment',
  summary: string,
  columns: readonly string[],
  rowsOf: (filter: ExportFilter) => Rows,
): void {
  scope.get(
    `/${what}.csv`,
    {
      schema: {
        tags,
        security: signedRequest,
        summary,
        description,
        querystring: ExportQuery,
        response: { 200: table, ...errorResponses(400, 401, 429, 500) },
      },
    },
    async ({ principal: { userId }, query }, reply) => {
      const { bot_id: botId } = query as Static<typeof ExportQuery>
      const rows = rowsOf({ userId, ...given({ botId }), ...readSpan(query) })
      return (await running.open(userId, reply, { name: `${what}s`, columns, rows })) as never
    },
  )
}
