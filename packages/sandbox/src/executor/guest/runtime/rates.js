import { symbolLengthLimit } from '../../../limits.ts'
import { exchangeNames } from '../../../types.ts'
import { checkText } from './arguments.js'
import { enumeration } from './frozen.js'
import { ask } from './host.js'

const { freeze } = Object

export const Exchange = enumeration(exchangeNames)

/** `$.getExchangeRate` of a run. */
export function rateOf(state) {
  return freeze(async (exchange, symbol) => {
    if (!exchangeNames.includes(exchange)) throw new TypeError('exchange must be a member of $.Exchange')
    checkText(symbol, 'symbol', symbolLengthLimit)
    return await ask(state, 'rate', { exchange, symbol })
  })
}
