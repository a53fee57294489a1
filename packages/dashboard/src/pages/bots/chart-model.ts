/** What the chart of a bot can show: its symbols, and the prices of its position. */

import type { Order, Position } from '@tickwright/client'
import { isNamed } from '../../base/symbols.ts'
import type { Level } from '../../parts/chart/model.ts'

type BotLike = { symbol: string | null; positions: readonly { symbol: string }[] }

/** The symbols of a bot: what it holds, then what it traded last, then what it may trade. */
export function symbolsOf({ symbol, positions }: BotLike, traded: readonly string[]): string[] {
  const symbols: string[] = []
  const wanted = (symbol ?? '').split(',').map((each) => each.trim())
  for (const each of [...positions.map(({ symbol }) => symbol), ...traded, ...wanted])
    if (each !== '' && !symbols.some((known) => known === each || isNamed(known, each))) symbols.push(each)
  return symbols
}

/** The symbols in the order in which they were first shown, so that no trade changes what somebody looks at. */
export function inKeptOrder(kept: readonly string[], symbols: readonly string[]): string[] {
  const known = kept.filter((symbol) => symbols.includes(symbol))
  return [...known, ...symbols.filter((symbol) => !known.includes(symbol))]
}

/** The lines of an open position. Without one, or without its price, there are none. */
export function levelsOf({
  side,
  average,
  first,
}: {
  side: 'long' | 'short' | null
  average: string | null
  /** The price of the first fill, if the bot has added to the position. */
  first: string | null
}): Level[] {
  if (side === null || average === null) return []
  const tone = side === 'long' ? 'profit' : 'loss'
  if (first === null || Number(first) === Number(average))
    return [{ price: Number(average), text: `Entry, ${side}`, tone }]
  return [
    { price: Number(average), text: `Average, ${side}`, tone },
    { price: Number(first), text: 'First entry', tone: 'soft' },
  ]
}

/** The lines of the stop and of the targets that are still ahead. What protects no more has none. */
export function protectiveLevels(protection: Position['protection']): Level[] {
  if (protection === null || protection.state === 'CALLED_OFF') return []
  const { state, stop_price: stop, targets } = protection
  const named = (name: string, isKept: boolean) => (isKept ? `${name}, at exchange` : name)
  return [
    ...(stop === null
      ? []
      : [{ price: Number(stop), text: named('Stop', state === 'PROTECTED'), tone: 'loss' as const }]),
    ...targets.map(({ price, kept_at }, index) => ({
      price: Number(price),
      text: named(targets.length === 1 ? 'Target' : `Target ${index + 1}`, kept_at === 'exchange'),
      tone: 'profit' as const,
    })),
  ]
}

/** The lines of openings that rest at their limit. */
export function restingLevels(orders: readonly Pick<Order, 'side' | 'limit_price'>[]): Level[] {
  return orders.flatMap(({ side, limit_price: price }) =>
    price === null ? [] : [{ price: Number(price), text: `Waits to ${side}`, tone: 'soft' as const }],
  )
}
