import { type Static, Type } from 'typebox'

const PlannedOrder = Type.Object({
  purpose: Type.Enum(['open', 'close']),
  side: Type.Enum(['buy', 'sell']),
  symbol: Type.String({ description: 'The market, as the exchange of the bot names it.' }),
  size: Type.String({ description: 'In base currency.' }),
  price: Type.String({ description: 'The price that it counts with, in quote currency.' }),
})

/** What a signal would make a bot do at this moment. */
export const BotPlan = Type.Object({
  bot_id: Type.Integer(),
  bot_name: Type.String(),
  mode: Type.Enum(['paper', 'live']),
  demo: Type.Boolean({ description: 'Whether it trades live with an account without real money.' }),
  status: Type.Enum(['DONE', 'IGNORED', 'REFUSED', 'FAILED', 'CLOSING', 'WAITING', 'RESTING', 'UNKNOWN'], {
    description:
      'How the bot would end the signal, or where it would wait. `DONE`: it would trade. `RESTING`: its opening would rest at its limit. `UNKNOWN`: nobody could say in time.',
  }),
  reason: Type.Union([Type.String(), Type.Null()], { description: 'Why not, or not as wanted.' }),
  delay_seconds: Type.Integer({ description: 'How long the bot waits before it follows the signal.' }),
  orders: Type.Array(PlannedOrder, { description: 'The orders that it would place, in order.' }),
})

export type BotPlan = Static<typeof BotPlan>

/** At most so many bots are explained. */
export const mostPlans = 10
