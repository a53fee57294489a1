/**
 * Stops of Kraken Futures. The shapes are those of the pages "Send order", "Get Specific Orders' Status", "Get open orders",
 * "Get trigger events" and "Get order events". Kraken does not say which ids the order of a stop has, so a test chooses.
 */
import type { FuturesMarket } from './kraken-futures.ts'
import type { StandIn } from './stand-in.ts'
import { type Stop, StopBook } from './stops.ts'
import { type BookOrder, filledOf } from './trading.ts'

/** Which ids of a stop its order has. */
export type KeptIds = 'both' | 'own' | 'client' | 'none'

const stopsOfStandIns = new WeakMap<StandIn, FuturesStops>()

/** Chooses which ids of a stop its order has. Default: both. */
export function keepIds(standIn: StandIn, kept: KeptIds): void {
  stopsOfStandIns.get(standIn)!.kept = kept
}

/** The list of orders no longer contains what has ended. */
export function unlistEnded(standIn: StandIn): void {
  stopsOfStandIns.get(standIn)!.listedMs = 0
}

/** The list of orders goes on containing what has ended. */
export function keepEndedListed(standIn: StandIn): void {
  stopsOfStandIns.get(standIn)!.listedMs = Number.MAX_SAFE_INTEGER
}

/** The stops of an account at Kraken Futures. */
export class FuturesStops extends StopBook {
  kept: KeptIds = 'both'
  /** How long the list of orders contains what has ended. Five seconds at Kraken, less here. */
  listedMs = 1_000

  override belongTo(standIn: StandIn): void {
    super.belongTo(standIn)
    stopsOfStandIns.set(standIn, this)
  }

  /** @returns the stop, or Kraken's word for a refusal */
  send(sent: URLSearchParams, { symbol }: FuturesMarket): Stop | string {
    const clientId = sent.get('cliOrdId') ?? ''
    const price = Number(sent.get('stopPrice'))
    if (!isTick(price)) return 'invalidPrice'
    if (sent.get('triggerSignal') !== 'last') return 'invalidOrderType'
    if (this.resting(clientId) !== undefined) return 'clientOrderIdAlreadyExist'
    const stop = {
      ...{ clientId, symbol, price: String(price), size: sent.get('size') ?? '0' },
      side: sent.get('side') === 'buy' ? 'buy' : 'sell',
      reduceOnly: sent.get('reduceOnly') === 'true',
    } as const
    if (stop.reduceOnly && !this.hasToReduce(stop)) return 'wouldNotReducePosition'
    const added = this.add(stop)
    // A stop that is beyond the price is executed at once.
    this.advance()
    return added
  }

  /** The ids of an order of the account, which may be that of a stop. */
  idsOf(order: BookOrder): { orderId: string; cliOrdId: string } {
    const stop = this.stopOf(order)
    const [own, client] = [this.kept === 'both' || this.kept === 'own', /both|client/.test(this.kept)]
    return {
      orderId: stop !== undefined && own ? stopIdOf(stop) : orderIdOf(order.id),
      cliOrdId: stop !== undefined && client ? stop.clientId : order.clientOrderId,
    }
  }

  /** Entries of the list of statuses. */
  statuses(clientIds: readonly string[], idOf: (symbol: string) => string | undefined): object[] {
    return this.control
      .all()
      .filter(({ clientId }) => clientIds.includes(clientId))
      .filter(({ status, changedAt }) => status === 'open' || changedAt > Date.now() - this.listedMs)
      .flatMap((stop) => {
        // A stop that has become an order under the same id is listed as that order only.
        if (stop.status === 'triggered' && (this.kept === 'both' || this.kept === 'own')) return []
        const [status, updateReason, error] = words[stop.status]
        return [{ order: listed(stop, idOf(stop.symbol)), status, updateReason, error }]
      })
  }

  openOrders(idOf: (symbol: string) => string | undefined): object[] {
    return this.control.open().map((stop) => {
      const receivedTime = new Date(stop.at).toISOString()
      return {
        order_id: stopIdOf(stop),
        cliOrdId: stop.clientId,
        symbol: idOf(stop.symbol),
        side: stop.side,
        orderType: 'stop',
        stopPrice: Number(stop.price),
        filledSize: 0,
        unfilledSize: Number(stop.size),
        reduceOnly: stop.reduceOnly,
        triggerSignal: 'last',
        status: 'untouched',
        receivedTime,
        lastUpdateTime: receivedTime,
      }
    })
  }

  /** The history of stops, the latest event first. */
  triggerEvents(since: number, tradeable: string, idOf: (symbol: string) => string | undefined): object[] {
    return this.control
      .all()
      .filter(({ symbol }) => idOf(symbol) === tradeable)
      .flatMap((stop) => {
        const order = historic(stop, tradeable)
        const placed = { at: stop.at, event: { OrderTriggerPlaced: { order, reason: 'new_user_order' } } }
        if (stop.status === 'open') return [placed]
        const event =
          stop.status === 'canceled'
            ? { OrderTriggerCancelled: { order, reason: 'cancelled_by_user' } }
            : { OrderTriggerActivated: { order } }
        return [placed, { at: stop.changedAt, event }]
      })
      .filter(({ at }) => at >= since)
      .reverse()
      .map(({ at, event }, i) => ({
        uid: `9e1bb73e-0000-4000-8000-${String(i).padStart(12, '0')}`,
        timestamp: at,
        event,
      }))
  }

  /** The history of the orders of stops that executed nothing, the latest event first. */
  rejectedOrders(tradeable: string, idOf: (symbol: string) => string | undefined): object[] {
    return this.control
      .all()
      .filter(({ symbol, status }) => idOf(symbol) === tradeable && status === 'rejected')
      .map((stop) => {
        const { triggerOptions: _, ...order } = historic(stop, tradeable)
        const event = {
          OrderRejected: { order: { ...order, filled: '0' }, reason: 'would_not_reduce_position' },
        }
        return { uid: stopIdOf(stop), timestamp: stop.changedAt, event }
      })
      .reverse()
  }
}

const tickSize = 0.5

/** Whether the price step allows a price. */
export function isTick(price: number | string): boolean {
  return Number(price) > 0 && Number(price) % tickSize === 0
}

/** The history of limit orders that were placed, and of those that were cancelled, the latest event first. */
export function limitEvents(orders: readonly BookOrder[], tradeable: string): object[] {
  return orders
    .filter(({ limit }) => limit !== undefined)
    .flatMap((placed) => {
      const { id, clientOrderId: clientId, side, size: quantity, reduceOnly, limit, at, status } = placed
      const order = {
        ...{ uid: orderIdOf(id), tradeable, direction: side === 'buy' ? 'Buy' : 'Sell', quantity },
        ...{ filled: filledOf(placed).size, timestamp: at, limitPrice: limit, orderType: 'Limit', clientId },
        ...{ reduceOnly, lastUpdateTimestamp: at },
      }
      const placement = { OrderPlaced: { order: { ...order, filled: '0' }, reason: 'new_user_order' } }
      const end = { OrderCancelled: { order, reason: 'cancelled_by_user' } }
      const events = status === 'canceled' ? [placement, end] : [placement]
      return events.map((event) => ({ uid: orderIdOf(id), timestamp: at, event }))
    })
    .reverse()
}

/** Status, reason and error of a stop, as the list of statuses has them. */
const words = {
  open: ['TRIGGER_PLACED', null, null],
  triggered: ['CANCELLED', 'STOP_ORDER_TRIGGERED', null],
  canceled: ['CANCELLED', 'CANCELLED_BY_USER', null],
  rejected: ['TRIGGER_ACTIVATION_FAILURE', 'STOP_ORDER_TRIGGERED', 'WOULD_NOT_REDUCE_POSITION'],
} as const

function listed(stop: Stop, symbol: string | undefined) {
  const timestamp = new Date(stop.at).toISOString()
  return {
    type: 'TRIGGER_ORDER',
    orderId: stopIdOf(stop),
    cliOrdId: stop.clientId,
    symbol,
    side: stop.side,
    quantity: Number(stop.size),
    filled: null,
    limitPrice: null,
    reduceOnly: stop.reduceOnly,
    timestamp,
    lastUpdateTimestamp: new Date(stop.changedAt).toISOString(),
    priceTriggerOptions: {
      triggerPrice: Number(stop.price),
      triggerSide: stop.side === 'sell' ? 'TRIGGER_BELOW' : 'TRIGGER_ABOVE',
      triggerSignal: 'LAST_PRICE',
    },
    triggerTime: null,
  }
}

function historic(stop: Stop, tradeable: string) {
  return {
    uid: stopIdOf(stop),
    accountId: 1,
    accountUid: 'f92fc7de-2fce-4265-b806-4f3c1efb37ee',
    tradeable,
    direction: stop.side === 'buy' ? 'Buy' : 'Sell',
    quantity: stop.size,
    timestamp: stop.at,
    limitPrice: '0',
    orderType: 'IoC',
    clientId: stop.clientId,
    reduceOnly: stop.reduceOnly,
    lastUpdateTimestamp: stop.changedAt,
    triggerOptions: {
      triggerPrice: stop.price,
      triggerSignal: 'LastPrice',
      triggerSide: stop.side === 'sell' ? 'Below' : 'Above',
    },
  }
}

/** The answer to a stop that was sent. */
export function sentStop(stop: Stop, symbol: string): object {
  const timestamp = new Date(stop.at).toISOString()
  return {
    status: 'placed',
    receivedTime: timestamp,
    order_id: stopIdOf(stop),
    cliOrdId: stop.clientId,
    orderEvents: [
      {
        type: 'PLACE',
        orderTrigger: {
          uid: stopIdOf(stop),
          clientId: stop.clientId,
          type: 'ioc',
          symbol,
          side: stop.side,
          quantity: Number(stop.size),
          limitPrice: null,
          triggerPrice: Number(stop.price),
          triggerSide: stop.side === 'sell' ? 'trigger_below' : 'trigger_above',
          triggerSignal: 'last_price',
          reduceOnly: stop.reduceOnly,
          timestamp,
          lastUpdateTimestamp: timestamp,
        },
      },
    ],
  }
}

export function orderIdOf(id: string): string {
  return `c18f0c17-9971-40e6-8e5b-${id.padStart(12, '0')}`
}

export function stopIdOf({ id }: Stop): string {
  return `1abfd3c6-af93-4b30-91cc-${id.padStart(12, '0')}`
}
