import type { Order } from './records.ts'
import { presentRest } from './rest-record.ts'
import { asPrice, exactly } from './shown-figures.ts'

/** An order as the API and notifications show it. */
export function presentOrder(order: Order) {
  return {
    id: order.id,
    bot_id: order.botId,
    demo: order.isDemo,
    signal_id: order.signalId,
    origin: order.origin,
    client_order_id: order.clientOrderId,
    exchange_order_id: order.exchangeOrderId,
    symbol: order.symbol,
    side: order.side,
    purpose: order.purpose,
    reduce_only: order.reduceOnly,
    type: order.type,
    limit_price: order.limitPrice === null ? null : exactly(order.limitPrice),
    size: exactly(order.size),
    filled_size: exactly(order.filledSize),
    average_price: asPrice(order.averagePrice),
    status: order.status,
    reason: order.reason,
    rests: presentRest(order),
    created_at: order.createdAt.toISOString(),
    updated_at: order.updatedAt.toISOString(),
  }
}
