/** Which records a list shows, and whether a record of a live event is one of them. */

import { isNamed } from '../../base/symbols.ts'

export type RecordScope = {
  /** Only of these bots. Default: of all, deleted ones too. */
  bots?: readonly number[] | undefined
  symbol?: string | undefined
}

export function isInScope(
  record: { bot_id: number; symbol: string },
  { bots, symbol }: RecordScope,
): boolean {
  if (bots !== undefined && !bots.includes(record.bot_id)) return false
  return symbol === undefined || isNamed(record.symbol, symbol)
}
