import { plainText } from './plain-text.ts'
import type { Order } from './records.ts'

/** An order as the API shows it, and as it is told of. */
export function presentOrder(order: Order) {
  return {
    id: order.id,
    bot_id: order.botId,
    signal_id: order.signalId,
    client_order_id: order.clientOrderId,
    exchange_order_id: order.exchangeOrderId,
    symbol: order.symbol,
    side: order.side,
    purpose: order.purpose,
    reduce_only: order.reduceOnly,
    size: plainText(order.size),
    filled_size: plainText(order.filledSize),
    average_price: plainText(order.averagePrice),
    status: order.status,
    reason: order.reason,
    created_at: order.createdAt.toISOString(),
    updated_at: order.updatedAt.toISOString(),
  }
}
