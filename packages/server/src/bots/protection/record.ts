import { Type } from 'typebox'
import { type LegStatus, stopReasons } from '../../db/schema.ts'
import { covers } from '../../trading/protection/legs.ts'
import { type Protected, type Stop, wantedState } from '../../trading/protection/plan.ts'
import { shownProtection } from '../../trading/protection/schemas.ts'
import type { Position } from '../../trading/types.ts'
import { exactly } from '../shown-figures.ts'
import { marksOf, type ProtectionRow, protectedOf } from './rows.ts'

const textOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

/** The protection of an open position, as the API shows it. */
export const PositionProtection = Type.Object({
  state: Type.Enum(['WATCHED', 'ARMING', 'PROTECTED', 'ADJUSTING', 'CLOSING', 'CALLED_OFF'], {
    description:
      '`WATCHED`: only the service watches the price. `ARMING`: it has sent the stop to the exchange, which has not confirmed it yet. `PROTECTED`: the stop is an order at the exchange. `ADJUSTING`: an order is there, but not yet at this level and for this size. `CLOSING`: the position is being closed. `CALLED_OFF`: you have dropped that close, and nothing protects the position.',
  }),
  kept_at: Type.Enum(['exchange', 'service'], {
    description:
      'Where the stop is kept: `exchange`, by an order that acts also while the service is not running, or only by the `service`.',
  }),
  exchange_stop: Type.Union(
    [
      Type.Object({
        price: Type.String({ description: 'Where it triggers, in quote currency.' }),
        size: Type.String({ description: 'How much it closes, in base currency.' }),
      }),
      Type.Null(),
    ],
    { description: 'The order that rests at the exchange; `null`: none.' },
  ),
  unprotected_seconds: Type.Union([Type.Number(), Type.Null()], {
    description:
      'For how long the position had no stop at the exchange, although the service keeps stops there; `null` where it only watches.',
  }),
  note: Type.String({ description: 'What the state means, for a person.' }),
  stop_price: textOrNull('Where the stop stands now, in quote currency.'),
  stop_reason: Type.Union([Type.Enum([...stopReasons]), Type.Null()], {
    description: 'Why it stands there.',
  }),
  targets: Type.Array(
    Type.Object({
      price: Type.String({ description: 'In quote currency.' }),
      size: Type.String({ description: 'How much it closes, in base currency.' }),
    }),
    { description: 'The targets that are still ahead, the nearest first.' },
  ),
  best_price: textOrNull('The best price since the entry.'),
  exit_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
    description: 'When the position is closed, whatever its price is.',
  }),
  settings: Type.Object(shownProtection, { description: 'What was asked for.' }),
})

const notes: Record<ShownState, string> = {
  WATCHED:
    'The service watches these levels. Nothing is placed at the exchange, so they do not act while the service is not running.',
  ARMING:
    'The service has sent the stop to the exchange, which has not confirmed it yet. Until then, the service watches it.',
  PROTECTED:
    'The stop is an order at the exchange, which acts also while the service is not running. The service watches everything else, and moves the stop.',
  ADJUSTING:
    'A stop is at the exchange, and the service is replacing it by one at this level and for the whole position. Until then, the service watches the difference.',
  CLOSING: 'The position is being closed.',
  CALLED_OFF: 'You have dropped the close, so nothing protects this position until you protect it again.',
}

type ShownState = ProtectionRow['state'] | 'ARMING' | 'PROTECTED' | 'ADJUSTING'

/** A stop at the exchange, as the database has it: the live ones, and the last one. */
export type ShownLeg = { status: LegStatus; price: string; size: string; reason: string | null }

/**
 * @param all its legs, the oldest first
 * @param unprotectedMs how long no stop rested at its exchange; `null` if nobody counts it
 * @returns `null` if the position is closed, or has no protection
 */
export function presentProtection(
  position: Position,
  row: ProtectionRow | null,
  all: readonly ShownLeg[],
  unprotectedMs: number | null,
) {
  const held = row === null ? undefined : protectedOf(position, row)
  if (row === null || held === undefined) return null
  const marks = marksOf(row)
  const { stop, legs, exitAt } = wantedState(held, row.settings, marks)
  const state = row.state === 'WATCHED' ? stateOf(held, stop, all) : row.state
  const resting = all.findLast(({ status }) => status === 'OPEN')
  return {
    ...{ state, note: noteOf(state, all) },
    kept_at: resting === undefined ? ('service' as const) : ('exchange' as const),
    exchange_stop: resting === undefined ? null : { price: resting.price, size: exactly(resting.size) },
    unprotected_seconds: unprotectedMs === null ? null : unprotectedMs / 1_000,
    stop_price: stop?.price ?? null,
    stop_reason: stop?.reason ?? null,
    targets: legs
      .filter(({ role }) => role === 'target')
      .map(({ price, size }) => ({ price, size: exactly(size) })),
    best_price: marks.bestPrice,
    exit_at: exitAt === null ? null : new Date(exitAt).toISOString(),
    settings: row.settings,
  }
}

function stateOf(held: Protected, stop: Stop | null, legs: readonly ShownLeg[]): ShownState {
  const resting = legs.filter(({ status }) => status === 'OPEN')
  if (stop !== null && resting.some((leg) => covers(leg, held, stop))) return 'PROTECTED'
  if (resting.length > 0) return 'ADJUSTING'
  return legs.some(({ status }) => status === 'PLANNED' || status === 'UNKNOWN') ? 'ARMING' : 'WATCHED'
}

/** If the exchange has refused the last stop, or somebody has cancelled it, the note says so. */
function noteOf(state: ShownState, legs: readonly ShownLeg[]): string {
  const last = legs.at(-1)
  const isOver = last?.status === 'REJECTED' || last?.status === 'CANCELED'
  if (state !== 'WATCHED' || !isOver || last.reason === null) return notes[state]
  return `${notes[state]} ${last.reason}`
}
