import { actionNames } from '../../../types.ts'
import { checkActionOptions } from './action-options.js'
import { isPrice } from './arguments.js'
import { enumeration } from './frozen.js'
import { ask } from './host.js'

const { defineProperty, freeze } = Object

export const Action = enumeration(actionNames)

/** `$.Strategy` of a run: `strategy` and `price` as the input has them. */
export function strategyOf(state, strategy, price) {
  const { id, type, signal } = strategy
  let lastTrigger = freeze(signal?.lastTrigger)
  const members = {
    id,
    type,
    roi: freeze((percentage, openPrice, currentPrice) =>
      roi(percentage, openPrice ?? lastTrigger?.price, currentPrice ?? price?.price),
    ),
    stop: freeze(async (notify) => {
      if (notify !== undefined && typeof notify !== 'boolean') throw new TypeError('notify must be a boolean')
      return await ask(state, 'stop', { notify: notify === true })
    }),
  }
  if (signal !== null) {
    members.signalSymbols = freeze(signal.symbols)
    // A getter, because an action of this run changes it.
    defineProperty(members, 'lastTrigger', {
      __proto__: null,
      get: freeze(() => lastTrigger),
      enumerable: true,
    })
    members.positions = freeze(async (...given) => {
      // A filter that is silently ignored would look like an answer to it.
      if (given.length > 0) throw new TypeError('positions takes no arguments')
      return await ask(state, 'positions', {})
    })
    members.action = freeze(async (type, options) => {
      const detail = { action: checkAction(type), options: checkActionOptions(options, type) }
      const accepted = await ask(state, 'action', detail)
      const { action, price, at } = accepted
      lastTrigger = freeze({ action, price, at })
      return accepted
    })
  }
  return freeze(members)
}

/** `null` without two valid prices. The sign does not turn for shorts. */
function roi(percentage, openPrice, currentPrice) {
  if (!isPrice(openPrice) || !isPrice(currentPrice)) return null
  const ratio = (currentPrice - openPrice) / openPrice
  return percentage === true ? ratio * 100 : ratio
}

function checkAction(type) {
  if (type !== Action.LONG && type !== Action.SHORT && type !== Action.EXIT) {
    throw new TypeError('type must be $.Action.LONG, $.Action.SHORT or $.Action.EXIT')
  }
  return type
}
