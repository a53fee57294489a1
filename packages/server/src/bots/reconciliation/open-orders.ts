import type { AccountOrder } from '../../trading/account.ts'

/** An order or a stop of the service, by the ids that it has at the exchange. */
export type OwnOrder = { botId: number; clientOrderId: string; exchangeOrderId: string | null }

/** `openOrders`: how many are not the bot's; `null` if nobody has looked. `unknownOrders`: their client order ids. */
export type OrdersSeen = { openOrders: number | null; unknownOrders: string[] }

/**
 * The id under which the service has planned an order; `null` if the id is not one of the service. Gate puts `t-` before
 * it. Hyperliquid accepts only hashes, which say nothing.
 */
export function plannedIdOf(clientOrderId: string | null): string | null {
  return /^(?:t-)?(tw[\da-z]{8}-\d+-\w+)$/.exec(clientOrderId ?? '')?.[1] ?? null
}

/**
 * An order is planned before it is sent. So an open order with an id of the service and without a plan is from a time
 * that the database does not know, such as after a restored backup.
 * @param own the orders of the service among those that are open
 */
export function ordersSeen(
  botId: number,
  open: readonly AccountOrder[],
  own: readonly OwnOrder[],
): OrdersSeen {
  const planOf = ({ exchangeOrderId, clientOrderId }: AccountOrder) =>
    own.find(
      (one) =>
        one.exchangeOrderId === exchangeOrderId ||
        one.clientOrderId === clientOrderId ||
        one.clientOrderId === plannedIdOf(clientOrderId),
    )
  const unknown = open.filter((order) => planOf(order) === undefined)
  return {
    openOrders: open.filter((order) => planOf(order)?.botId !== botId).length,
    unknownOrders: unknown.flatMap(({ clientOrderId }) => plannedIdOf(clientOrderId) ?? []).sort(),
  }
}
