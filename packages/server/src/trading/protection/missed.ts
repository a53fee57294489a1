import { type Decimal, decimal, least, plain, zero } from '../../base/decimals.ts'
import { type CandlePrices, nextPrice, worstOrder } from './along-candle.ts'
import { type ExitReason, judge, type Marks, type Protected } from './plan.ts'
import type { Protection } from './settings.ts'

/**
 * What prices that nobody watched would have done. `close`: how much, `null` for all of it, and at which average price,
 * before slippage. `reason` is that of the last part.
 */
export type MissedCourse = {
  marks: Marks
  close: { size: string | null; reason: ExitReason; price: string } | null
}

const priceDecimals = 24

/**
 * Follows a position along candles, in the worse order of the prices of each, as a replay does. Several closes on the way
 * become one, because nobody has made any of them.
 */
export function alongMissed(
  position: Protected,
  protection: Protection,
  before: Marks,
  candles: Iterable<CandlePrices & { openedAt: number; closedAt: number }>,
): MissedCourse {
  let marks = before
  let held = decimal(position.size)
  let closed = { size: zero, value: zero, reason: null as ExitReason | null }
  const lookAt = (price: string, now: number) => {
    const judged = judge({ ...position, size: plain(held) }, protection, marks, { price, now })
    marks = judged.marks
    const { next } = judged
    if (next.step !== 'close') return
    const part: Decimal = next.size === null ? held : least(held, decimal(next.size))
    held = held.minus(part)
    const value = closed.value.plus(part.times(decimal(price)))
    closed = { size: closed.size.plus(part), value, reason: next.reason }
  }
  for (const candle of candles) {
    let from = candle.open
    for (const [index, to] of worstOrder(position.side, candle).entries()) {
      do {
        from = nextPrice({ ...position, size: plain(held) }, protection, marks, { from, to })
        lookAt(from, from === to && index === 3 ? candle.closedAt : candle.openedAt)
        if (held.lte('0')) return { marks, close: closeOf(closed, null) }
      } while (from !== to)
    }
  }
  return { marks, close: closeOf(closed, plain(closed.size)) }
}

function closeOf(
  { size, value, reason }: { size: Decimal; value: Decimal; reason: ExitReason | null },
  part: string | null,
): MissedCourse['close'] {
  if (reason === null) return null
  return { size: part, reason, price: plain(value.div(size).round(priceDecimals)) }
}
