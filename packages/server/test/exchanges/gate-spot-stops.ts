/**
 * Price-triggered orders of Gate's spot. The shapes are those of ccxt's samples and of the models SpotPriceTriggeredOrder,
 * SpotPriceTrigger and SpotPricePutOrder (github.com/gateio/gateapi-python). They lock no coins.
 */
import Big from 'big.js'
import type { GateMarket } from './gate-account.ts'
import { failure, type GateStops, invalid } from './gate-stops.ts'
import type { Reply, RestCall } from './stand-in.ts'
import type { Stop } from './stops.ts'
import type { AccountBook } from './trading.ts'

type Place = { markets: readonly GateMarket[]; book: AccountBook; stops: GateStops }
type Sent = {
  trigger?: { price?: string; rule?: string; expiration?: number }
  put?: {
    type?: string
    side?: string
    price?: string
    amount?: string
    account?: string
    time_in_force?: string
  }
  market?: string
}

const longestStayS = 2_592_000
/** Nine digits, as in the list of pairs. */
const priceStep = '0.000000001'

export function spotStopAnswer(
  what: string,
  { query, body }: RestCall,
  place: Place,
  id: string | undefined,
): (() => Reply) | undefined {
  const { stops, markets } = place
  const notFound = failure('ORDER_NOT_FOUND', 'order not found', 404)
  const named = () =>
    stops.find((stop) => stop.id === id && markets.some(({ symbol }) => symbol === stop.symbol))
  switch (what) {
    case 'POST price_orders':
      return () => add(JSON.parse(body) as Sent, place)
    case 'GET price_orders':
      return () =>
        query.get('account') === accountOf(place) ? { json: list(query, place) } : invalid('account')
    case 'GET price_orders/id':
      return () => {
        const found = named()
        return found === undefined ? notFound : { json: told(found, place) }
      }
    case 'DELETE price_orders/id':
      return () => {
        const found = named()
        if (found?.status !== 'open') return notFound
        stops.cancel(found)
        return { json: told(found, place) }
      }
    default:
      return undefined
  }
}

function accountOf({ book }: Place): string {
  return book.mode.account === 'unified' ? 'unified' : 'normal'
}

function add({ trigger = {}, put = {}, market: marketId }: Sent, place: Place): Reply {
  const { markets, stops } = place
  const market = markets.find(({ id, active }) => id === marketId && active !== false)
  if (market === undefined) return failure('INVALID_CURRENCY_PAIR', 'invalid currency pair')
  const { price = '', rule, expiration = 0 } = trigger
  const { type, side, price: limit = '', amount = '', account, time_in_force: force } = put
  // github.com/gateio/gateapi-python/issues/155
  if (type !== 'limit') return invalid('put.type')
  if (side !== 'buy' && side !== 'sell') return invalid('put.side')
  if (account !== accountOf(place)) return failure('MIXED_ACCOUNT_TYPE', 'account is not allowed')
  if (force !== 'ioc') return invalid('put.time_in_force')
  if (!(Number(limit) > 0) || !isOnStep(limit, priceStep)) return invalid('put.price')
  if (!(Number(amount) > 0) || !isOnStep(amount, '0.000001')) return invalid('put.amount')
  if (!(Number(price) > 0) || !isOnStep(price, priceStep)) return invalid('trigger.price')
  if (rule !== (side === 'sell' ? '<=' : '>=')) return invalid('trigger.rule')
  if (!Number.isInteger(expiration) || expiration < 1 || expiration > longestStayS) {
    return invalid('trigger.expiration invalid range')
  }
  const stop = {
    ...({
      clientId: '',
      symbol: market.symbol,
      side,
      size: amount,
      price,
      limit,
      reduceOnly: false,
    } as const),
  }
  if (stops.isBeyond(stop)) {
    return side === 'buy'
      ? failure('AUTO_TRIGGER_PRICE_GREATE_LAST', 'invalid argument: Trigger.Price must > last_price')
      : failure('AUTO_TRIGGER_PRICE_LESS_LAST', 'invalid argument: Trigger.Price must < last_price')
  }
  return { status: 201, json: { id: Number(stops.addFor(stop, expiration).id) } }
}

function isOnStep(value: string, step: string): boolean {
  return new Big(value).mod(step).eq(0)
}

/** The latest first. */
function list(query: URLSearchParams, place: Place): object[] {
  const isOpen = query.get('status') === 'open'
  const market = place.markets.find(({ id }) => id === query.get('market'))
  const offset = Number(query.get('offset') ?? 0)
  return place.stops.control
    .all()
    .filter(({ symbol, status }) => symbol === market?.symbol && (status === 'open') === isOpen)
    .toReversed()
    .slice(offset, offset + Number(query.get('limit') ?? 100))
    .map((stop) => told(stop, place))
}

function told(stop: Stop, place: Place) {
  const { id, symbol, side, size, price, limit, status, orderId, at, changedAt } = stop
  const ended = { open: 'open', canceled: 'cancelled', triggered: 'finish', rejected: 'failed' }[status]
  return {
    market: place.markets.find((market) => market.symbol === symbol)?.id,
    user: 10_406_147,
    trigger: { price, rule: side === 'sell' ? '<=' : '>=', expiration: place.stops.stayOf(stop) },
    put: {
      type: 'limit',
      side,
      price: limit,
      amount: size,
      account: accountOf(place),
      time_in_force: 'ioc',
      text: 'api',
    },
    id: Number(id),
    ctime: Math.floor(at / 1_000),
    ftime: status === 'open' ? 0 : Math.floor(changedAt / 1_000),
    fired_order_id: Number(orderId),
    status: place.stops.hasExpired(stop) ? 'expired' : ended,
    reason: '',
  }
}
