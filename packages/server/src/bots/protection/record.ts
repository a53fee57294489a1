import { Type } from 'typebox'
import { type LegStatus, stopReasons } from '../../db/schema.ts'
import { covers, isStop } from '../../trading/protection/legs.ts'
import { type Protected, type Stop, wantedState } from '../../trading/protection/plan.ts'
import { shownProtection } from '../../trading/protection/schemas.ts'
import type { Position } from '../../trading/types.ts'
import { exactly } from '../shown-figures.ts'
import { marksOf, type ProtectionRow, protectedOf } from './rows.ts'

const textOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

/** The protection of an open position, as the API shows it. */
export const PositionProtection = Type.Object({
  state: Type.Enum(['WATCHED', 'ARMING', 'PROTECTED', 'ADJUSTING', 'ADRIFT', 'CLOSING', 'CALLED_OFF'], {
    description:
      '`WATCHED`: only the service watches the price. `ARMING`: it has sent the stop to the exchange, which has not confirmed it yet. `PROTECTED`: the stop is an order at the exchange. `ADJUSTING`: an order is there, but not yet at this level and for this size. `ADRIFT`: books and account differ, so the service neither places nor moves a stop until you decide; `exchange_stop` is what rests there. `CLOSING`: the position is being closed. `CALLED_OFF`: you have dropped that close, and nothing protects the position.',
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
      kept_at: Type.Enum(['exchange', 'service'], {
        description: '`exchange`: an order for it rests there. `service`: only the service watches it.',
      }),
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
    'The stop is an order at the exchange, which acts also while the service is not running. The service moves it.',
  ADJUSTING:
    'A stop is at the exchange, and the service is replacing it by one at this level and for the whole position. Until then, the service watches the difference.',
  ADRIFT:
    'Books and account differ. Until you adopt or ignore the difference, the bot opens nothing in this symbol, and the service neither places nor moves a stop. It watches these levels.',
  CLOSING: 'The position is being closed.',
  CALLED_OFF: 'You have dropped the close, so nothing protects this position until you protect it again.',
}

type ShownState = ProtectionRow['state'] | 'ARMING' | 'PROTECTED' | 'ADJUSTING' | 'ADRIFT'

/** A stop or a target at the exchange, as the database has it: the live ones, and the last stop. */
export type ShownLeg = {
  status: LegStatus
  price: string
  size: string
  /** That of the market; `null`: unknown. */
  sizeStep: string | null
  /** Which target it is, from 1; `null`: it is a stop. */
  target: number | null
  /** Of a stop: the target that is in one order with it. */
  ocoTarget: number | null
  reason: string | null
}

/**
 * What else a state depends on. `legs`: the oldest first. `unprotectedMs`: how long no stop rested at its exchange; `null`
 * if nobody counts it. `isAdrift`: whether books and account differ.
 */
export type ShownWith = { legs: readonly ShownLeg[]; unprotectedMs: number | null; isAdrift: boolean }

/** @returns `null` if the position is closed, or has no protection */
export function presentProtection(
  position: Position,
  row: ProtectionRow | null,
  { legs: all, unprotectedMs, isAdrift }: ShownWith,
) {
  const held = row === null ? undefined : protectedOf(position, row)
  if (row === null || held === undefined) return null
  const marks = marksOf(row)
  const { stop, legs, exitAt } = wantedState(held, row.settings, marks)
  const stops = all.filter(isStop)
  const kept = all.flatMap(({ target, ocoTarget, status }) =>
    status === 'OPEN' ? (target ?? ocoTarget ?? []) : [],
  )
  const targets = legs.flatMap(({ target, price, size }) => {
    if (target === undefined) return []
    const keptAt = kept.includes(target) ? ('exchange' as const) : ('service' as const)
    return [{ price, size: exactly(size), kept_at: keptAt }]
  })
  const open = isAdrift ? ('ADRIFT' as const) : stateOf(held, stop, stops)
  const state = row.state === 'WATCHED' ? open : row.state
  const resting = stops.findLast(({ status }) => status === 'OPEN')
  return {
    ...{ state, note: noteOf(state, stops, targets) },
    kept_at: resting === undefined ? ('service' as const) : ('exchange' as const),
    exchange_stop: resting === undefined ? null : { price: resting.price, size: exactly(resting.size) },
    unprotected_seconds: unprotectedMs === null ? null : unprotectedMs / 1_000,
    stop_price: stop?.price ?? null,
    stop_reason: stop?.reason ?? null,
    targets,
    best_price: marks.bestPrice,
    exit_at: exitAt === null ? null : new Date(exitAt).toISOString(),
    settings: row.settings,
  }
}

function stateOf(held: Protected, stop: Stop | null, legs: readonly ShownLeg[]): ShownState {
  const resting = legs.filter(({ status }) => status === 'OPEN')
  const isWhole = (leg: ShownLeg) =>
    stop !== null && covers(leg, { ...held, sizeStep: leg.sizeStep ?? '0' }, stop)
  if (resting.some(isWhole)) return 'PROTECTED'
  if (resting.length > 0) return 'ADJUSTING'
  return legs.some(({ status }) => status === 'PLANNED' || status === 'UNKNOWN') ? 'ARMING' : 'WATCHED'
}

/** If the exchange has refused the last stop, or somebody has cancelled it, the note says so. */
function noteOf(
  state: ShownState,
  stops: readonly ShownLeg[],
  targets: readonly { kept_at: 'exchange' | 'service' }[],
): string {
  const last = stops.at(-1)
  const isOver = last?.status === 'REJECTED' || last?.status === 'CANCELED'
  const kept = targets.filter(({ kept_at }) => kept_at === 'exchange').length
  if (state === 'CLOSING' || state === 'CALLED_OFF' || state === 'ADRIFT') return notes[state]
  const isWatched = state === 'WATCHED'
  const note = isWatched && kept > 0 ? watchedStop : notes[state]
  const ofTargets =
    targets.length === 0 || (isWatched && kept === 0) ? '' : ` ${targetsNote(targets.length, kept)}`
  const why = isWatched && isOver && last.reason !== null ? ` ${last.reason}` : ''
  return `${note}${ofTargets}${why}`
}

const watchedStop = 'The service watches the stop, so it does not act while the service is not running.'

function targetsNote(count: number, kept: number): string {
  if (kept === 0) return count === 1 ? 'The service watches the target.' : 'The service watches the targets.'
  if (kept < count)
    return `${kept} of ${count} targets ${kept === 1 ? 'is an order' : 'are orders'} at the exchange, and the service watches the others.`
  return count === 1 ? 'The target is an order at the exchange.' : 'The targets are orders at the exchange.'
}
