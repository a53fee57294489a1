import { type Static, Type } from 'typebox'
import { readableMoney } from '../../base/readable.ts'
import type { CurvePoint } from '../../trading/statistics/sampled-curve.ts'
import type { EquityGroup, FallGroup, MoneyKey } from './equities.ts'
import { FallRecord, percent, presentFall } from './stats-record.ts'

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

const CurvePointRecord = Type.Object({
  at: Type.String({ format: 'date-time' }),
  equity: Type.String({ description: 'The sum at this time.' }),
  drawdown: Type.String({
    description:
      'How far the sum was below its highest since the beginning, at the deepest place since the previous point; `0` without any fall.',
  }),
  drawdown_percent: Type.Union([Type.String(), Type.Null()], {
    description: 'That, of the highest; `null` if the highest is not above zero.',
  }),
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
      points: Type.Optional(
        Type.Array(CurvePointRecord, {
          description:
            'The curve of the sum, if `points` asks for it: evenly spaced from `since` until now, the oldest first. An equity holds until the next.',
        }),
      ),
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
    groups: groups.map(({ bots, current, falls, curve, ...key }) => ({
      ...presentMoney(key),
      bots,
      drawdown: presentFall(current),
      max_drawdown: presentFall(falls.largest),
      steepest_drawdown: presentFall(falls.steepest),
      ...(curve !== undefined && { points: curve.map(presentPoint) }),
    })),
  }
}

function presentPoint({ at, equity, fall, percent: ofPeak }: CurvePoint): Static<typeof CurvePointRecord> {
  return {
    at: new Date(at).toISOString(),
    ...{ equity: readableMoney(equity), drawdown: readableMoney(fall), drawdown_percent: percent(ofPeak) },
  }
}

function presentMoney({ mode, isDemo, currency }: MoneyKey) {
  return { mode, demo: isDemo, currency }
}
