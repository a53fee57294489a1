import { readEntry, readStops } from '../outside-payload.ts'
import { readId, readSize, readSymbol } from '../payload-values.ts'
import type { AlertOrder, Format } from './format.ts'
import { exitOf, orderOf } from './order.ts'
import { readTiming } from './timing.ts'
import { readPosition, readPrice, wordIn } from './words.ts'

const sides = { buy: 'buy', long: 'buy', sell: 'sell', short: 'sell' } as const
const readAction = wordIn(['buy', 'sell', 'long', 'short', 'exit', 'close', 'flat'])

/**
 * Alerts of TradingView whose message names TradingView's own placeholders: `{{ticker}}`,
 * `{{strategy.order.action}}`, `{{strategy.order.contracts}}`, `{{strategy.market_position}}` and so on.
 *
 * Source: TradingView's help, "How to use a variable value in alert"
 * (https://www.tradingview.com/support/solutions/43000531021).
 */
export const tradingview: Format = {
  read(payload, receivedAtMs) {
    // The names of the placeholder and of our own format; one of them.
    const symbol = payload.need(payload.has('ticker') ? 'ticker' : 'symbol', readSymbol)
    const position = payload.read('market_position', readPosition)
    const previous = payload.read('prev_market_position', readPosition)
    const action =
      position === undefined ? payload.need('action', readAction) : payload.read('action', readAction)
    const price = () => payload.read('price', readPrice)
    const isFlat = position === 'flat'
    const contracts = isFlat ? undefined : payload.read('contracts', readSize)
    const amount =
      contracts === undefined
        ? undefined
        : ({ value: contracts, unit: 'base', at: payload, field: 'contracts' } as const)
    const isExit = action === 'exit' || action === 'close' || action === 'flat'
    let order: AlertOrder | undefined
    if (isExit && position !== undefined && !isFlat) {
      payload.refuse('action', `is ${action}, but market_position is ${position}`)
    } else if (isExit && position === undefined) order = exitOf(amount, price)
    else {
      const isSized = position !== undefined && amount !== undefined
      const after = isSized ? payload.read('market_position_size', readPrice) : undefined
      const side = action === undefined || isExit ? undefined : sides[action]
      order = orderOf(
        {
          ...{ side, position, previous, amount, price },
          positionSize: { value: after, field: 'market_position_size' },
          countsOrder: position !== undefined,
        },
        { side: payload, field: 'action' },
      )
    }
    const opens = order !== undefined && order.action !== 'EXIT'
    return {
      ...{ symbol, order, id: payload.read('id', readId) },
      ...(opens && { protection: readStops(payload), entry: readEntry(payload) }),
      timing: readTiming(payload, receivedAtMs),
    }
  },
}
