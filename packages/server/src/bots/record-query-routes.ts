import { Type } from 'typebox'
import { given } from '../base/given.ts'
import { readMoment } from '../http/moments.ts'
import { EventQuery, Id, Moment, PageQuery, withoutNul } from '../http/schemas.ts'
import type { BotChoice } from './own-bots.ts'
import type { RecordFilter } from './records.ts'

export const OptionalMoment = (description: string) => Type.Optional(Moment(description))

/** The query of each list of records. */
export const filters = {
  ...PageQuery.properties,
  symbol: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      pattern: withoutNul,
      description: 'Ignores case and separators: `btcusdt` finds `BTC/USDT` and `BTC/USDT:USDT`.',
    }),
  ),
  since: OptionalMoment('Only records from this time or later.'),
}

/** Which bots. Deleted bots have no mode. */
export const ofBot = {
  bot_id: Type.Optional(Id),
  mode: Type.Optional(Type.Enum(['paper', 'live'], { description: 'Only of bots in this mode.' })),
  demo: Type.Optional(
    Type.Boolean({
      description: '`true`: only of bots with a demo account; `false`: only of bots without one.',
    }),
  ),
}

/** The query of each list of records that are events. */
export const eventFilters = { ...filters, ...EventQuery.properties }

type FilterQuery = {
  bot_id?: number
  mode?: 'paper' | 'live'
  demo?: boolean
  symbol?: string
  since?: string
}

export function readFilter({ since, ...query }: FilterQuery): RecordFilter {
  const filter = { ...readChoice(query), ...given({ symbol: query.symbol }) }
  return since === undefined ? filter : { ...filter, since: readMoment('since', since) }
}

/** Which bots a request is about. */
export function readChoice({ bot_id: botId, mode, demo: isDemo }: FilterQuery): BotChoice {
  return given({ botId, mode, isDemo })
}
