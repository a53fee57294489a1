import { Type } from 'typebox'
import { wantedState } from '../../trading/protection/plan.ts'
import { shownProtection } from '../../trading/protection/schemas.ts'
import type { Position } from '../../trading/types.ts'
import { exactly } from '../shown-figures.ts'
import { marksOf, type ProtectionRow, protectedOf } from './rows.ts'

const textOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

/** The protection of an open position, as the API shows it. */
export const PositionProtection = Type.Object({
  state: Type.Enum(['WATCHED', 'CLOSING', 'CALLED_OFF'], {
    description:
      '`WATCHED`: the service watches the price. `CLOSING`: it closes the position. `CALLED_OFF`: you have dropped that close, and nothing protects the position.',
  }),
  note: Type.String({ description: 'What the state means, for a person.' }),
  stop_price: textOrNull('Where the stop stands now, in quote currency.'),
  stop_reason: Type.Union([Type.Enum(['stop_loss', 'break_even', 'trailing']), Type.Null()], {
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

const notes: Record<ProtectionRow['state'], string> = {
  WATCHED:
    'The service watches these levels. Nothing is placed at the exchange, so they do not act while the service is not running.',
  CLOSING: 'The service closes this position.',
  CALLED_OFF: 'You have dropped the close, so nothing protects this position until you protect it again.',
}

/** @returns `null` if the position is closed, or has no protection */
export function presentProtection(position: Position, row: ProtectionRow | null) {
  const held = row === null ? undefined : protectedOf(position, row)
  if (row === null || held === undefined) return null
  const marks = marksOf(row)
  const { stop, legs, exitAt } = wantedState(held, row.settings, marks)
  return {
    state: row.state,
    note: notes[row.state],
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
