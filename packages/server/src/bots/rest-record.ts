import { sql } from 'drizzle-orm'
import { type Static, Type } from 'typebox'
import { bots, type Entry, orders, type SignalEntry, signals } from '../db/schema.ts'
import { restsUntil } from '../trading/entries/plan.ts'
import { entryOf, timeoutActions } from '../trading/entries/settings.ts'

/** How long an opening rests, and what follows, as the API shows it. */
export const RestRecord = Type.Object(
  {
    until: Type.String({
      format: 'date-time',
      description: 'When the bot cancels the order, if it is still open then.',
    }),
    on_timeout: Type.Enum([...timeoutActions], {
      description:
        'What happens then to the part that was not executed. `cancel`: nothing more, also because all `chases` are used. `market`: a market order. `chase`: a new limit order at the price of that time.',
    }),
    chases_left: Type.Integer({
      description: 'With `chase`: how many new limit orders may follow at most; otherwise 0.',
    }),
  },
  { description: 'Of an opening that rests at its limit: how long, and what follows; `null` for others.' },
)

/** What an order that rests needs for its record: the entries of its bot and signal, and the openings of the signal. */
export type Rest = { bot: Entry | null; signal: SignalEntry | null; openings: number }

/** `null` for an order that does not rest. For queries with the order's bot and signal. */
export const restOf = sql<Rest | null>`case
  when ${orders.status} = 'OPEN' and ${orders.purpose} = 'open' and ${orders.limitPrice} is not null
  then json_build_object('bot', ${bots.settings} -> 'entry', 'signal', ${signals.options} -> 'entry', 'openings', (
    select count(*) from orders s where s.bot_signal_id = ${orders.botSignalId} and s.purpose = 'open'))
  end`

/** @returns `null` if the order does not rest, or nobody knows for how long, because its bot is deleted */
export function presentRest({
  rest,
  createdAt,
}: {
  rest: Rest | null
  createdAt: Date
}): Static<typeof RestRecord> | null {
  const entry = rest === null ? null : entryOf(rest.bot, rest.signal ?? undefined)
  if (rest === null || entry === null) return null
  const left = Math.max(0, (entry.chases ?? 0) - rest.openings + 1)
  const isOver = entry.on_timeout === 'chase' && left === 0
  return {
    until: new Date(restsUntil({ plannedAt: createdAt.getTime() }, entry)).toISOString(),
    on_timeout: isOver ? 'cancel' : entry.on_timeout,
    chases_left: left,
  }
}
