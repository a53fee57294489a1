import { Wrong } from '../payload-reader.ts'
import { readBoolean, readId, readSize, readSymbol } from '../payload-values.ts'
import type { Format } from './format.ts'
import { type AskedAmount, exitOf, openingOrder } from './order.ts'
import { readTiming } from './timing.ts'
import { readPrice, wordIn } from './words.ts'

const events = ['entry_fill', 'exit_fill'] as const
const readDirection = wordIn(['long', 'short'])

/**
 * Webhooks of Freqtrade with `"format": "json"`. Their users choose the fields, so a payload has Freqtrade's parameters
 * under their own names, and `event` says which of its events it is for.
 *
 * The bots follow fills, because an order of Freqtrade may never be executed. Its `sub_trade` is an order that changes the
 * size of a position.
 *
 * Source: the documentation of Freqtrade, "Webhook usage" (https://www.freqtrade.io/en/stable/webhook-config/).
 */
export const freqtrade: Format = {
  read(payload, receivedAtMs) {
    const symbol = payload.need('pair', readSymbol)
    const event = payload.need('event', readEvent)
    const direction = payload.need('direction', readDirection)
    const isPart = payload.read('sub_trade', readBoolean) ?? false
    const isFinal = event === 'exit_fill' && (payload.read('is_final_exit', readBoolean) ?? !isPart)
    // Only an entry converts its amount.
    const price = () => payload.read('open_rate', readPrice)
    const size = isFinal ? undefined : payload.read('amount', readSize)
    const amount: AskedAmount | undefined =
      size === undefined ? undefined : { value: size, unit: 'base', at: payload, field: 'amount' }
    if (event === 'exit_fill' && !isFinal && !payload.has('amount')) {
      payload.refuse('amount', 'is required: this exit closes a part of the position')
    }
    const order =
      direction &&
      (event === 'exit_fill'
        ? exitOf(amount, price, direction)
        : openingOrder(direction, amount, price, isPart))
    return {
      ...{ symbol, order, id: payload.read('trade_id', readId) },
      timing: readTiming(payload, receivedAtMs),
    }
  },
}

function readEvent(value: unknown): (typeof events)[number] {
  const word = typeof value === 'string' ? value.trim().toLowerCase() : ''
  if (word === 'entry' || word === 'exit') {
    throw new Wrong(`is ${word}, an order that may never be executed; send ${word}_fill instead`)
  }
  if (/^(?:entry|exit)_cancel$/.test(word)) {
    throw new Wrong(`is ${word}; the bots follow fills only, so there is nothing to cancel`)
  }
  return wordIn(events)(value)
}
