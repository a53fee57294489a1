import { type Static, Type } from 'typebox'
import { readableMoney } from '../../base/readable.ts'
import type { EquityGroup, FallGroup, MoneyKey } from './equities.ts'
import { FallRecord, presentFall } from './stats-record.ts'

const money = {
  mode: Type.Enum(['paper', 'live']),
  demo: Type.Boolean(),
  currency: Type.String({ description: 'All amounts are in this currency.' }),
}

const Groups = { description: 'One for each mode and currency. Nothing adds up different ones.' }

export const EquitiesRecord = Type.Object({
  at: Type.String({ format: 'date-time' }),
  groups: Type.Array(
    Type.Object({
      ...money,
      bots: Type.Integer(),
      unknown_bots: Type.Integer({
        description:
          'How many of these bots have no known equity now, because a price or the start balance is unknown, or because their books have several currencies.',
      }),
      equity: Type.Union([Type.String(), Type.Null()], {
        description: 'The sum of the equities that are known; `null` if none is.',
      }),
      realised_today: Type.String({
        description: 'Realised since midnight (UTC), after fees and with funding.',
      }),
    }),
    Groups,
  ),
})

export const DrawdownsRecord = Type.Object({
  since: Type.String({ format: 'date-time' }),
  groups: Type.Array(
    Type.Object({
      ...money,
      bots: Type.Integer({ description: 'How many bots are in the sum: those with a known start balance.' }),
      drawdown: {
        ...FallRecord,
        description: 'How far the sum is below its last peak now, at `lowest_at`; `null` at a peak.',
      },
      max_drawdown: FallRecord,
      steepest_drawdown: FallRecord,
    }),
    Groups,
  ),
})

export function presentEquities(groups: readonly EquityGroup[], at: number): Static<typeof EquitiesRecord> {
  return {
    at: new Date(at).toISOString(),
    groups: groups.map(({ bots, unknown, equity, realisedToday, ...key }) => ({
      ...presentMoney(key),
      ...{ bots, unknown_bots: unknown },
      equity: equity && readableMoney(equity),
      realised_today: readableMoney(realisedToday),
    })),
  }
}

export function presentDrawdowns(
  groups: readonly FallGroup[],
  since: number,
): Static<typeof DrawdownsRecord> {
  return {
    since: new Date(since).toISOString(),
    groups: groups.map(({ bots, current, falls, ...key }) => ({
      ...presentMoney(key),
      bots,
      drawdown: presentFall(current),
      max_drawdown: presentFall(falls.largest),
      steepest_drawdown: presentFall(falls.steepest),
    })),
  }
}

function presentMoney({ mode, isDemo, currency }: MoneyKey) {
  return { mode, demo: isDemo, currency }
}
