/** What the tables of signals, orders and positions say about protection. */

/**
 * What ends a position without a signal, as requests and responses show it. Levels are texts: a price (`50000`), a
 * distance (`2%`), or a multiple of the distance to the stop (`2R`).
 */
export type Protection = {
  stop_loss: string | null
  /** At most 8, the nearest first. */
  take_profit: Target[]
  /** The stop follows the best price at the distance `by`, once `from` is reached, in moves of at least `step`. */
  trailing: { by: string; from: string | null; step: string | null } | null
  /** Once `after` is reached, the stop moves to the entry price plus `plus`. */
  break_even: { after: string; plus: string | null } | null
  exit_after_seconds: number | null
}

/** `part`: a fraction of the position, as it was opened. */
export type Target = { at: string; part: string }

/**
 * `WATCHED`: the service watches the price. `CLOSING`: it has queued a close of the whole position. `CALLED_OFF`: the
 * owner has dropped that close, so nothing protects the position until its owner says so.
 */
export type ProtectionState = 'WATCHED' | 'CLOSING' | 'CALLED_OFF'

/**
 * Of a stop or a target at an exchange. `PLANNED`: stored, and perhaps sent. `UNKNOWN`: sent, but the exchange did not say whether it
 * has it. `OPEN`: it rests at the exchange. The others are final. `TRIGGERED`: the exchange has made an order of it, or
 * has executed it, and that order is in the books. `CANCELED`: it executes nothing any more. `REJECTED`: it never rested there.
 */
export type LegStatus = 'PLANNED' | 'UNKNOWN' | 'OPEN' | 'TRIGGERED' | 'CANCELED' | 'REJECTED'

/** Why a stop is where it is. */
export const stopReasons = ['stop_loss', 'break_even', 'trailing'] as const
export type StopReason = (typeof stopReasons)[number]

/** Why an order that protects a position rests at its exchange. */
export type LegReason = StopReason | 'take_profit'

/** Why a protection closes a position, or a part of it. `unprotected`: the exchange kept refusing its stop. */
export const protectiveOrigins = [
  'stop_loss',
  'take_profit',
  'trailing',
  'break_even',
  'time',
  'unprotected',
] as const
export type ProtectiveOrigin = (typeof protectiveOrigins)[number]

/** Who closes positions without a strategy or a webhook. */
export const signalOrigins = ['owner', 'limit', ...protectiveOrigins] as const
export type SignalOrigin = (typeof signalOrigins)[number]
