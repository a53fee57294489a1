import { createHash, createHmac } from 'node:crypto'
import Big from 'big.js'
import type { FuturesMarket } from './kraken-futures.ts'
import { accountAnswers, accounts, fillIdOf } from './kraken-futures-account.ts'
import {
  type FuturesStops,
  isTick,
  limitEvents,
  orderIdOf,
  sentStop,
  stopIdOf,
} from './kraken-futures-stops.ts'
import type { Reply, RestCall } from './stand-in.ts'
import { type AccountBook, answerOrFail, type BookOrder, filledOf, type Key } from './trading.ts'

type Clock = { now(): number }

const base = '/derivatives/api/v3/'
const sizeStep = '0.0001'
const fillPage = 100

/** The private requests of Kraken Futures that market orders need. */
export function futuresRest(
  call: RestCall,
  listed: FuturesMarket[],
  clock: Clock,
  book: AccountBook,
  stops: FuturesStops,
): Reply | undefined {
  const sent = new URLSearchParams(call.search || call.body)
  const aboutAccount = accountAnswers[`${call.method} ${call.path}`]
  const key = book.keys.get(String(call.headers.apikey)) as Key
  const what = `${call.method} ${call.path.replace(base, '').replace('/api/history/v2/', 'history ')}`
  const answer =
    aboutAccount === undefined
      ? answerOf(what, sent, { listed, clock, book, stops })
      : () => aboutAccount({ sent, listed, book, key })
  if (answer === undefined) return undefined
  const isOrder = what === 'POST sendorder'
  const checked = () => refuseSignature(call, clock, book, isOrder) ?? answer()
  const kind = isOrder ? (sent.get('orderType') === 'stp' ? 'stop' : 'order') : 'question'
  return answerOrFail(book, kind, checked, {
    broken: { status: 503, text: 'Service Unavailable' },
    reject: success(clock, { sendStatus: { status: 'maxPositionViolation' } }),
    rateLimit: failure(clock, 'apiLimitExceeded'),
    maintenance: failure(clock, 'Unavailable'),
  })
}

type Place = { listed: FuturesMarket[]; clock: Clock; book: AccountBook; stops: FuturesStops }

function answerOf(what: string, sent: URLSearchParams, place: Place): (() => Reply) | undefined {
  const { listed, clock, book, stops } = place
  const idOf = (symbol: string) => listed.find((market) => market.symbol === symbol)?.id
  switch (what) {
    case 'GET accounts':
      return () => success(clock, { accounts: accounts(book) })
    case 'POST sendorder':
      return () => success(clock, { sendStatus: send(sent, place) })
    case 'POST cancelorder':
      return () => success(clock, { cancelStatus: cancel(sent, place) })
    case 'GET openorders':
      return () => success(clock, { openOrders: [...openOrders(listed, book), ...stops.openOrders(idOf)] })
    case 'GET orders/status':
      return () => {
        const stopped = stops.statuses(sent.getAll('cliOrdIds'), idOf)
        return success(clock, { orders: [...statuses(sent, place), ...stopped] })
      }
    case 'GET fills':
      return () => success(clock, { fills: fills(sent, place) })
    case 'GET history triggers':
      return () => ({
        json: { elements: stops.triggerEvents(Number(sent.get('since')), sent.get('tradeable') ?? '', idOf) },
      })
    case 'GET history orders':
      return () => {
        const tradeable = sent.get('tradeable') ?? ''
        const limits = limitEvents(
          book.findAll(({ symbol }) => idOf(symbol) === tradeable),
          tradeable,
        )
        return { json: { elements: [...limits, ...stops.rejectedOrders(tradeable, idOf)] } }
      }
    default:
      return undefined
  }
}

function success(clock: Clock, values: object): Reply {
  return { json: { result: 'success', ...values, serverTime: new Date(clock.now()).toISOString() } }
}

function failure(clock: Clock, error: string): Reply {
  return { json: { result: 'error', error, serverTime: new Date(clock.now()).toISOString() } }
}

function refuseSignature(
  { path, search, body, headers }: RestCall,
  clock: Clock,
  book: AccountBook,
  isOrder: boolean,
): Reply | undefined {
  const key = book.keys.get(String(headers.apikey))
  if (key === undefined) return failure(clock, 'authenticationError')
  const signed = `${search}${body}${path.replace('/derivatives', '')}`
  const signature = createHmac('sha512', Buffer.from(key.secret, 'base64'))
    .update(createHash('sha256').update(signed).digest())
    .digest('base64')
  if (headers.authent !== signature) return failure(clock, 'authenticationError')
  return key.mayTrade === false && isOrder ? failure(clock, 'authenticationError') : undefined
}

function cancel(sent: URLSearchParams, { clock, book, stops }: Place) {
  const [order_id, cliOrdId] = [sent.get('order_id'), sent.get('cliOrdId')]
  const order = book.cancel(
    ({ id, clientOrderId }) => orderIdOf(id) === order_id || clientOrderId === cliOrdId,
  )
  const stop = stops.find((one) => {
    return one.status === 'open' && (stopIdOf(one) === order_id || one.clientId === cliOrdId)
  })
  if (stop !== undefined) stops.cancel(stop)
  const receivedTime = new Date(clock.now()).toISOString()
  const status = order === undefined && stop === undefined ? 'notFound' : 'cancelled'
  return { status, order_id, receivedTime }
}

function send(sent: URLSearchParams, { listed, clock, book, stops }: Place) {
  const market = listed.find(({ id }) => id.toLowerCase() === sent.get('symbol')?.toLowerCase())
  const size = sent.get('size') ?? '0'
  const side = sent.get('side') === 'buy' ? 'buy' : 'sell'
  const clientOrderId = sent.get('cliOrdId') ?? ''
  const receivedTime = new Date(clock.now()).toISOString()
  const no = (status: string) => ({ status, receivedTime })
  if (market === undefined || market.active === false) return no('marketInactive')
  if (new Big(size).lte(0) || !new Big(size).mod(sizeStep).eq(0)) return no('invalidSize')
  if (clientOrderId.length > 100) return no('clientOrderIdTooLong')
  if (sent.get('orderType') === 'stp') {
    const stop = stops.send(sent, market)
    return typeof stop === 'string' ? no(stop) : sentStop(stop, market.id)
  }
  const postOnly = sent.get('orderType') === 'post'
  const isLimit = sent.get('orderType') === 'lmt' || postOnly
  const limit = sent.get('limitPrice') ?? ''
  if (sent.get('orderType') !== 'mkt' && !isLimit) return no('invalidOrderType')
  if (isLimit && !isTick(limit)) return no('invalidPrice')
  if (book.openWith(clientOrderId) !== undefined) return no('clientOrderIdAlreadyExist')
  const [pair = ''] = market.symbol.split(':')
  const [coin = '', quote = ''] = pair.split('/')
  const reduceOnly = sent.get('reduceOnly') === 'true'
  const placed = book.place(
    { symbol: market.symbol, base: coin, quote, isContract: true },
    { clientOrderId, side, size, reduceOnly, ...(isLimit && { limit, postOnly }) },
  )
  if (placed === 'reduce-only') return no('wouldNotReducePosition')
  if (placed === 'takes') return no('postWouldExecute')
  if (placed === 'price-band') return no('marketSuspended')
  if (typeof placed === 'string') return no('insufficientAvailableFunds')
  return {
    ...no('placed'),
    order_id: orderIdOf(placed.id),
    cliOrdId: clientOrderId,
    orderEvents: placed.trades.length === 0 ? [placement(market, placed)] : executions(market, placed),
  }
}

function placement(market: FuturesMarket, placed: BookOrder) {
  return { type: 'PLACE', order: prior(market, placed), reducedQuantity: null }
}

function executions(market: FuturesMarket, placed: BookOrder) {
  return placed.trades.map((trade) => ({
    type: 'EXECUTION',
    executionId: fillIdOf(trade.id),
    price: Number(trade.price),
    amount: Number(trade.size),
    orderPriorEdit: null,
    orderPriorExecution: prior(market, placed),
    takerReducedQuantity: null,
  }))
}

function prior(
  market: FuturesMarket,
  { id, clientOrderId, side, size, reduceOnly, limit, postOnly, at }: BookOrder,
  ids = { orderId: orderIdOf(id), cliOrdId: clientOrderId },
) {
  const timestamp = new Date(at).toISOString()
  return {
    ...ids,
    type: limit === undefined ? 'ioc' : postOnly === true ? 'post' : 'lmt',
    symbol: market.id,
    side,
    quantity: Number(size),
    filled: 0,
    reduceOnly,
    timestamp,
    lastUpdateTimestamp: timestamp,
  }
}

function statuses(sent: URLSearchParams, { listed, book, stops }: Place) {
  const [clientIds, ids] = [sent.getAll('cliOrdIds'), sent.getAll('orderIds')]
  const found = book.findAll((order) => {
    const { orderId, cliOrdId } = stops.idsOf(order)
    return clientIds.includes(cliOrdId) || ids.includes(orderId)
  })
  return found.flatMap((order) => {
    const market = listed.find(({ symbol }) => symbol === order.symbol)
    const endedAt = Math.max(order.endedAt ?? order.at, order.trades.at(-1)?.at ?? order.at)
    if (market === undefined || (order.status !== 'open' && endedAt <= Date.now() - stops.listedMs)) return []
    const status = { open: 'ENTERED_BOOK', filled: 'FULLY_EXECUTED', canceled: 'CANCELLED' }[order.status]
    const { size: filled } = filledOf(order)
    // The quantity is what is left, as in the answer recorded in ccxt's pull request 28199. Nothing is left at the end.
    const quantity = order.status === 'open' ? new Big(order.size).minus(filled).toNumber() : 0
    const told = {
      ...prior(market, order, stops.idsOf(order)),
      type: 'ORDER',
      quantity,
      filled: Number(filled),
      limitPrice: order.limit === undefined ? null : Number(order.limit),
    }
    return [{ order: told, status, updateReason: null, error: null }]
  })
}

function fills(sent: URLSearchParams, { listed, book, stops }: Place) {
  const before = Date.parse(sent.get('lastFillTime') ?? '9999-12-31')
  return book
    .trades(({ symbol }) => listed.some((market) => market.symbol === symbol))
    .filter(({ trade }) => trade.at <= before)
    .reverse()
    .slice(0, fillPage)
    .map(({ order, trade }) => {
      const { orderId, cliOrdId } = stops.idsOf(order)
      return {
        fill_id: fillIdOf(trade.id),
        symbol: listed.find(({ symbol }) => symbol === order.symbol)?.id,
        side: order.side,
        order_id: orderId,
        ...(cliOrdId === '' ? {} : { cliOrdId }),
        size: Number(trade.size),
        price: Number(trade.price),
        fillTime: new Date(trade.at).toISOString(),
        fillType: fillTypes[order.kind],
      }
    })
}

/** The types of the documentation of `fills`: a counterparty's position was unwound against this account's. */
const fillTypes = { order: 'taker', liquidation: 'liquidation', adl: 'unwindCounterparty' } as const

function openOrders(listed: FuturesMarket[], book: AccountBook) {
  return book.openOrders().flatMap((order) => {
    const market = listed.find(({ symbol }) => symbol === order.symbol)
    if (market === undefined) return []
    const { size: filled } = filledOf(order)
    const receivedTime = new Date(order.at).toISOString()
    return {
      order_id: orderIdOf(order.id),
      ...(order.clientOrderId === '' ? {} : { cliOrdId: order.clientOrderId }),
      symbol: market.id,
      side: order.side,
      orderType: 'lmt',
      limitPrice: Number(order.limit ?? book.price(order.symbol)),
      filledSize: Number(filled),
      unfilledSize: new Big(order.size).minus(filled).toNumber(),
      reduceOnly: order.reduceOnly,
      status: Number(filled) === 0 ? 'untouched' : 'partiallyFilled',
      receivedTime,
      lastUpdateTime: receivedTime,
    }
  })
}
