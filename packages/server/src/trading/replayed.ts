/** What a replay goes along, and what comes of it. */
import type { SignalOrigin } from '../db/schema.ts'
import type { SignalOutcome } from './follow-signal.ts'
import type { CandlePrices } from './protection/along-candle.ts'
import type { BookedOrder, TradeSignal } from './types.ts'

/**
 * Prices are decimal strings in quote currency; times are Unix milliseconds. `volume` is in base currency, and counts only
 * if the bot may trade a part of it.
 */
export type ReplayCandle = CandlePrices & { openedAt: number; closedAt: number; volume?: number }

export type ReplaySignal = Pick<TradeSignal, 'action' | 'at'> & { options?: TradeSignal['options'] }

/** What asked for an order that no sender asked for. `end`: the replay is over, and closes what is open.
 * `liquidation`: the venue did. */
export type ReplayOrigin = SignalOrigin | 'end' | 'liquidation'

/** `origin`: what asked for it, as in the records of the service; `null`: a signal. */
export type ReplayOrder = BookedOrder & { origin: ReplayOrigin | null }

/** What became of a signal. */
export type ReplayOutcome = { signal: ReplaySignal; outcome: SignalOutcome }
