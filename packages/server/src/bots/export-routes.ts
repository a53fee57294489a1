import { Type } from 'typebox'
import type { Cell } from '../base/csv.ts'
import { given } from '../base/given.ts'
import { signedRequest } from '../http/authentication.ts'
import { CsvExports } from '../http/csv.ts'
import { whenGone } from '../http/gone.ts'
import { readSpan } from '../http/moments.ts'
import { errorResponses, IdParameter } from '../http/schemas.ts'
import type { App, Routes } from '../http/types.ts'
import type { Bots } from './bots.ts'
import { PositionRecord, presentPosition } from './position-record.ts'
import { filters, OptionalMoment, ofBot, readChoice, readFilter } from './record-query-routes.ts'
import type { PositionFilter, Records } from './records.ts'
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
  ...ofBot,
  symbol: filters.symbol,
  since: OptionalMoment('Only records from this time or later.'),
  until: OptionalMoment('Only records from this time or earlier.'),
})

const PositionQuery = Type.Object({ ...ofBot, symbol: filters.symbol })

const tags = ['Statistics']
const inCsv =
  'in CSV (RFC 4180, UTF-8) that is safe to open in a spreadsheet: a text that begins like a formula has an apostrophe before it. A file that could not be written to its end is an incomplete answer, so the client sees an error.'
const allOfThem = `All of them, the oldest first, ${inCsv}`
const table = { description: 'A file.', content: { 'text/csv': { schema: Type.String() } } }

/** Files with everything that bots did, for spreadsheets and bookkeeping. */
export function exportRoutes(bots: Bots, records: Records, exports: Exports): Routes {
  const running = new CsvExports()
  return (scope) => {
    listExport(scope, running, {
      what: 'order',
      summary: 'Export the orders of your bots',
      columns: orderColumns,
      rowsOf: (filter) => exports.orders(filter),
    })
    listExport(scope, running, {
      what: 'fill',
      summary: 'Export the fills of your bots',
      columns: fillColumns,
      rowsOf: (filter) => exports.fills(filter),
    })
    listExport(scope, running, {
      what: 'payment',
      summary: 'Export the funding payments of your bots',
      columns: paymentColumns,
      rowsOf: (filter) => exports.payments(filter),
    })
    listExport(scope, running, {
      what: 'trade',
      summary: 'Export the trades of your bots',
      description: `Bot after bot, and of each the oldest first, ${inCsv} \`since\` and \`until\` are about when a trade was opened.`,
      columns: tradeColumns,
      rowsOf: (filter, gone) => exports.trades(filter, gone),
    })
    exportPositions(scope, running, records)
    scope.get(
      '/bot/signal/cex/:id/trades.csv',
      {
        schema: {
          tags,
          security: signedRequest,
          summary: 'Export the trades of a signal bot',
          description: allOfThem,
          params: IdParameter,
          response: { 200: table, ...errorResponses(400, 401, 404, 429, 500) },
        },
      },
      async ({ principal: { userId }, params: { id } }, reply) => {
        await bots.get(userId, id)
        const rows = exports.trades({ userId, botId: id }, whenGone(reply))
        const file = { name: `trades-of-bot-${id}`, columns: tradeColumns, rows }
        return (await running.open(userId, reply, file)) as never
      },
    )
  }
}

type Listed = {
  what: 'order' | 'fill' | 'payment' | 'trade'
  summary: string
  description?: string
  columns: readonly string[]
  /** @param gone is aborted when the client has gone */
  rowsOf(filter: ExportFilter, gone: AbortSignal): Rows
}

function listExport(
  scope: App,
  running: CsvExports,
  { what, summary, description = allOfThem, columns, rowsOf }: Listed,
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
      const filter = { userId, ...readChoice(query), ...given({ symbol: query.symbol }), ...readSpan(query) }
      const rows = rowsOf(filter, whenGone(reply))
      return (await running.open(userId, reply, { name: `${what}s`, columns, rows })) as never
    },
  )
}

type Shown = ReturnType<typeof presentPosition>

/** The protection of a position is not one value, so a file has columns for its parts. */
const recordColumns = Object.keys(PositionRecord.properties).filter(
  (column) => column !== 'protection',
) as Exclude<keyof Shown, 'protection'>[]
const positionColumns = [
  ...recordColumns,
  ...['protection_state', 'stop_price', 'stop_reason', 'targets', 'best_price', 'exit_at'],
]

function positionRow({ protection, ...shown }: Shown): Cell[] {
  const { state, stop_price, stop_reason, targets, best_price, exit_at } = protection ?? {}
  // In the words of the list: a size at a price.
  const ahead = targets?.map(({ size, price }) => `${size} at ${price}`).join('; ')
  const parts = [state, stop_price, stop_reason, ahead, best_price, exit_at]
  return [...recordColumns.map((column) => shown[column]), ...parts.map((part) => part ?? null)]
}

function exportPositions(scope: App, running: CsvExports, records: Records): void {
  scope.get(
    '/position.csv',
    {
      schema: {
        tags,
        security: signedRequest,
        summary: 'Export the open positions of your bots',
        description: `At the prices of the moment, the last changed last, ${inCsv}`,
        querystring: PositionQuery,
        response: { 200: table, ...errorResponses(400, 401, 429, 500) },
      },
    },
    async ({ principal: { userId }, query }, reply) => {
      const rows = openPositions(records, userId, readFilter(query))
      return (await running.open(userId, reply, {
        name: 'positions',
        columns: positionColumns,
        rows,
      })) as never
    },
  )
}

/** All at once: read in parts, one that changes meanwhile could be missed. There are few, for bots hold them now. */
async function* openPositions(records: Records, userId: number, filter: PositionFilter): Rows {
  const found = await records.positions(userId, filter, { offset: 0, limit: Number.MAX_SAFE_INTEGER })
  yield found.toReversed().map((position) => positionRow(presentPosition(position)))
}
