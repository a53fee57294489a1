/** How a model enters a position, as an argument of its tool. Each question of a run pays for it. */
import { levelLengthLimit } from '@tickwright/sandbox'
import { Type } from 'typebox'
import {
  entryTypes,
  longestRestSeconds,
  mostChases,
  readSignalEntry,
  timeoutActions,
} from '../trading/entries/settings.ts'

const Level = Type.Optional(Type.Union([Type.String({ maxLength: levelLengthLimit }), Type.Number()]))

export const EntryInput = Type.Object(
  {
    type: Type.String({ enum: [...entryTypes] }),
    price: Level,
    offset: Level,
    timeout_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: longestRestSeconds })),
    on_timeout: Type.Optional(Type.String({ enum: [...timeoutActions] })),
    chases: Type.Optional(Type.Integer({ minimum: 1, maximum: mostChases })),
    max_slippage: Level,
  },
  {
    additionalProperties: false,
    description:
      'How to enter. limit and post_only rest at price, or offset ("0.5%") better than the current price, for timeout_seconds; then on_timeout. A field that you leave out is as the owner has set it.',
  },
)

/** What is wrong with an argument that has this shape, as the end of a sentence; `null` if nothing is. */
export function entryProblem(given: object): string | null {
  const { problems } = readSignalEntry(given as Record<string, unknown>, 'entry.')
  return problems.length === 0 ? null : problems.map(({ field, message }) => `${field} ${message}`).join('; ')
}
