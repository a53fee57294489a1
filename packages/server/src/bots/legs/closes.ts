import type { Database } from '../../db/database.ts'
import type { Announce } from '../../live/changes.ts'
import { wantedState } from '../../trading/protection/plan.ts'
import type { Venue } from '../../trading/types.ts'
import { queueExit } from '../protection/exits.ts'
import { announceSignal } from '../queued-closes.ts'
import type { LegsRow } from './store.ts'

type Parts = { database: Database; announce(botIds: number[]): void; onChange?: Announce }

/**
 * Queues the close of a position whose stop the exchange does not keep.
 * @param why the exchange says that the price is `beyond` the stop: then it is, whatever price the service has seen. Or it
 * has refused the stop for too long, and the position is `unprotected`
 */
export async function queueStopClose(
  { database, announce, onChange }: Parts,
  { botId, symbol, exchangeId, protection }: LegsRow,
  venue: Pick<Venue, 'rules'>,
  why: 'beyond' | 'unprotected',
): Promise<void> {
  if (protection === null) return
  const { position, settings, marks, generation } = protection
  const { stop } = wantedState(position, settings, marks)
  if (stop === null) return
  const of = { botId, symbol, exchangeId, generation }
  const watched = { ...of, state: 'WATCHED' as const, settings, position, marks }
  const isUnprotected = why === 'unprotected'
  const at = { price: isUnprotected ? null : stop.price, now: Date.now() }
  const rules = await venue.rules(symbol)
  const queued = await queueExit(database, { position: watched, at, rules, options: { isUnprotected } })
  if (typeof queued === 'string') return
  announce([botId])
  announceSignal(onChange, queued.signalId)
}
