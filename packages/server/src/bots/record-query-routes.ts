import { Type } from 'typebox'
import { readMoment } from '../http/moments.ts'
import { EventQuery, Moment, PageQuery } from '../http/schemas.ts'
import type { RecordFilter } from './records.ts'

export const OptionalMoment = (description: string) => Type.Optional(Moment(description))

/** The query of each list of records. */
export const filters = {
  ...PageQuery.properties,
  symbol: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      // The database stores no NUL in a text.
      pattern: '^[^\\u0000]*$',
      description: 'Ignores case and separators: `btcusdt` finds `BTC/USDT` and `BTC/USDT:USDT`.',
    }),
  ),
  since: OptionalMoment('Only records from this time or later.'),
}

/** The query of each list of records that are events. */
export const eventFilters = { ...filters, ...EventQuery.properties }

type FilterQuery = { bot_id?: number; symbol?: string; since?: string }

export function readFilter({ bot_id, symbol, since }: FilterQuery): RecordFilter {
  const filter: RecordFilter = {}
  if (bot_id !== undefined) filter.botId = bot_id
  if (symbol !== undefined) filter.symbol = symbol
  if (since !== undefined) filter.since = readMoment('since', since)
  return filter
}
