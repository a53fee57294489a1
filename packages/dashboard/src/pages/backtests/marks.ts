/** What a backtest did, as marks on the price. */
import { formatNumber } from '../../base/numbers.ts'
import { moneyDigits, quoteOf } from '../../base/symbols.ts'
import type { Mark } from '../../parts/chart/model.ts'
import type { Fill, Signal } from './backtests.ts'

export function markOfFill(fill: Fill): Mark {
  const { at, symbol, side, size, price, realised, position_after: after, origin } = fill
  const isBuy = side === 'buy'
  const isClose = isBuy ? after <= 0 : after >= 0
  const quote = quoteOf(symbol)
  const result = `, result ${formatNumber(realised, { digits: moneyDigits(quote) })}${quote === null ? '' : ` ${quote}`}`
  const by = origin === 'signal' ? '' : `, ${origin.replaceAll('_', ' ')}`
  return {
    at: Date.parse(at),
    kind: 'fill',
    side: isBuy ? 'up' : 'down',
    text: `fill, ${side} ${formatNumber(size)} at ${formatNumber(price)}${by}${isClose ? result : ''}`,
  }
}

const sides: Record<string, Mark['side']> = { LONG: 'up', SHORT: 'down' }

export function markOfSignal({ at, action, outcome, reason }: Signal): Mark {
  const what = `signal, ${action}: ${outcome.toLowerCase()}`
  return {
    at: Date.parse(at),
    kind: 'signal',
    side: sides[action] ?? 'out',
    text: reason === null ? what : `${what}, ${reason}`,
  }
}
