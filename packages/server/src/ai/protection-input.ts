/** The protection of a position that a model opens, as an argument of its tool. Each question of a run pays for it. */
import { levelLengthLimit, targetsPerProtection } from '@tickwright/sandbox'
import { Type } from 'typebox'
import { longestExitSeconds, readProtection } from '../trading/protection/settings.ts'

const closed = { additionalProperties: false }
const Level = Type.Union([Type.String({ maxLength: levelLengthLimit }), Type.Number()])

export const ProtectionInput = Type.Object(
  {
    stop_loss: Type.Optional(Level),
    take_profit: Type.Optional(
      Type.Array(Type.Object({ at: Level, part: Level }, closed), {
        maxItems: targetsPerProtection,
        description: 'The nearest first. part: a fraction of the position; all parts together are at most 1.',
      }),
    ),
    trailing: Type.Optional(
      Type.Object({ by: Level, from: Type.Optional(Level), step: Type.Optional(Level) }, closed),
    ),
    break_even: Type.Optional(Type.Object({ after: Level, plus: Type.Optional(Level) }, closed)),
    exit_after_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: longestExitSeconds })),
  },
  {
    ...closed,
    description:
      'Closes the position without you. A level is a price (50000), a distance ("2%"), or a multiple of the distance to stop_loss ("2R"). trailing: the stop follows the best price at the distance by, once the price reaches from. break_even: once the price reaches after, the stop moves to the entry price, plus the distance plus. A field that you leave out is as the owner has set it.',
  },
)

/** What is wrong with the levels of an argument that has this shape, as the end of a sentence; `null` if nothing is. */
export function protectionProblem(given: object): string | null {
  const { problems } = readProtection(given as Record<string, unknown>, 'protection.')
  return problems.length === 0 ? null : problems.map(({ field, message }) => `${field} ${message}`).join('; ')
}
