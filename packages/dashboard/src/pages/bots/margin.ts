import type { Position } from '@tickwright/client'

/** Whether the exchange would liquidate a position before its stop is reached. */
export function isStopTooLate({
  side,
  protection,
  liquidation_price: end,
}: Pick<Position, 'side' | 'liquidation_price'> & {
  protection: { stop_price: string | null } | null
}): boolean {
  const stop = protection?.stop_price ?? null
  if (stop === null || end === null || side === null) return false
  return side === 'long' ? Number(stop) <= Number(end) : Number(stop) >= Number(end)
}
