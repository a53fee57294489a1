import { queryOptions } from '@tanstack/react-query'
import { type BotSignal, eachOf, type Fill, type Order, type Signal } from '@tickwright/client'
import { client } from '../../data/client.ts'

export function signalQuery(id: number) {
  return queryOptions({ queryKey: ['signals', id], queryFn: () => client.signals.get(id) })
}

/** What one bot did with a signal. Resolves with `null` if there is no such result. */
export function botSignalQuery(id: number) {
  return queryOptions({
    queryKey: ['bot-signals', id],
    queryFn: async (): Promise<BotSignal | null> => {
      // The API has only lists of them, the newest first.
      const answer = await client.botSignals.list({ before: id + 1, limit: 1 })
      const [result] = Array.isArray(answer) ? answer : answer.items
      return result?.id === id ? result : null
    },
  })
}

/** No list finds the orders of a signal, so this looks at what the bot ordered since. More than this is too much. */
const mostLooked = 2000

/** The orders that a bot placed for a signal, oldest first. */
export function signalOrdersQuery(
  { id, created_at }: Pick<Signal, 'id' | 'created_at'>,
  botId: number,
  symbol: string,
) {
  return queryOptions({
    queryKey: ['orders', 'signal', id, botId, symbol],
    queryFn: async (): Promise<Order[]> => {
      const found: Order[] = []
      let looked = 0
      const wanted = { bot_id: botId, symbol, since: created_at }
      for await (const order of eachOf((part) => client.orders.list({ ...wanted, ...part }))) {
        if (order.signal_id === id) found.unshift(order)
        looked += 1
        if (looked === mostLooked) break
      }
      return found
    },
  })
}

/** The fills of an order, oldest first. */
export function orderFillsQuery(orderId: number) {
  return queryOptions({
    queryKey: ['fills', 'order', orderId],
    queryFn: async (): Promise<Fill[]> => {
      const fills: Fill[] = []
      for await (const fill of eachOf((part) => client.fills.list({ order_id: orderId, ...part })))
        fills.unshift(fill)
      return fills
    },
  })
}
