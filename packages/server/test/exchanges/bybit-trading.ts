import Big from 'big.js'
import {
  answerSigned,
  type BybitMarket,
  type Clock,
  failure,
  parametersOf,
  type Sent,
  success,
} from './bybit-requests.ts'
import { cancelStop, conditionOf, isConditional, listedStops, placeStop, toldStop } from './bybit-stops.ts'
import type { Exchange, Reply, RestCall } from './stand-in.ts'
import type { Stop, StopBook } from './stops.ts'
import {
  type AccountBook,
  type BookFunding,
  type BookOrder,
  type BookTrade,
  filledOf,
  type NewOrder,
} from './trading.ts'

const sizeSteps = { spot: '0.000001', linear: '0.001', inverse: '1' }
const leastSizes = { spot: '0.00004', linear: '0.001', inverse: '1' }
const leastWorths = { spot: '1', linear: '5', inverse: '0' }
const longestIdLength = 36
const windowMs = 7 * 86_400_000
/** Bybit keeps the latest 500 ended orders in this list, and empties it when it restarts: here, after a moment. */
const recentlyEndedMs = 300

export type BybitAccount = { book: AccountBook; stops: StopBook }

/** Orders and executions of a unified trading account of Bybit. */
export function tradingRest(
  call: RestCall,
  exchange: Exchange<BybitMarket>,
  account: BybitAccount,
): Reply | undefined {
  const sent = parametersOf(call)
  const answer = answerOf(call, sent, exchange, account)
  if (answer === undefined) return undefined
  const isOrder = call.path === '/v5/order/create'
  const kind = isOrder ? (isConditional(sent) ? 'stop' : 'order') : 'question'
  return answerSigned(call, exchange, account.book, kind, answer)
}

function answerOf(
  { method, path, body }: RestCall,
  sent: Sent,
  exchange: Exchange<BybitMarket>,
  account: BybitAccount,
): (() => Reply) | undefined {
  const { book, stops } = account
  const listed = exchange.markets.filter(({ category }) => category === sent.category)
  const market = listed.find(({ id }) => id === sent.symbol)
  switch (`${method} ${path}`) {
    case 'POST /v5/order/create':
      return () =>
        isConditional(sent) && sent.category !== 'spot'
          ? placeStop(market, sent, body, exchange, account)
          : place(market, sent, exchange, account)
    case 'GET /v5/order/realtime':
      return () => orderList(listed, sent, exchange, account, 'realtime')
    case 'GET /v5/order/history':
      return () => orderList(listed, sent, exchange, account, 'history')
    case 'GET /v5/execution/list':
      return () => executionList(listed, sent, exchange, book)
    case 'POST /v5/order/cancel':
      return () => cancelStop(sent, exchange, stops) ?? cancel(sent, exchange, book)
    default:
      return undefined
  }
}

function place(
  market: BybitMarket | undefined,
  sent: Sent,
  clock: Clock,
  { book, stops }: BybitAccount,
): Reply {
  const no = (code: number, msg: string) => failure(clock, code, msg)
  const { qty = '0', side, orderLinkId: clientOrderId = '', orderType, positionIdx = 0 } = sent
  if (market === undefined) return no(10001, 'symbol invalid')
  const { category, symbol, base, quote } = market
  const isContract = category !== 'spot'
  if (clientOrderId.length > longestIdLength) return no(10001, 'OrderLinkID is too long')
  const postOnly = sent.timeInForce === 'PostOnly'
  const isLimit =
    orderType === 'Limit' && (postOnly || sent.timeInForce === 'GTC') && sent.price !== undefined
  if (orderType !== 'Market' && !isLimit) return no(10001, 'The stand-in takes market orders and limits')
  // The size of a market buy on spot is in quote currency, unless the order says otherwise.
  if (!isContract && !isLimit && side === 'Buy' && sent.marketUnit !== 'baseCoin') {
    return no(10001, 'The stand-in takes sizes in base currency only')
  }
  const isStop = sent.triggerPrice !== undefined
  if (isStop !== (sent.orderFilter === 'tpslOrder')) return no(10001, 'The stand-in takes no other filter')
  if (isContract && (Number(positionIdx) !== 0) !== (book.mode.position === 'hedge')) {
    return no(10001, 'position idx not match position mode')
  }
  const size = new Big(qty)
  if (!size.mod(sizeSteps[category]).eq(0)) {
    return isContract ? no(10001, 'Qty invalid') : no(170137, 'Order volume decimal too long.')
  }
  if (size.lt(leastSizes[category])) {
    return isContract
      ? no(10001, 'The number of contracts is below the minimum allowed')
      : no(170136, 'Order quantity lower than the minimum.')
  }
  const reduceOnly = String(sent.reduceOnly) === 'true'
  if (!reduceOnly && size.times(book.price(symbol)).lt(leastWorths[category])) {
    return isContract
      ? no(110094, 'Order notional value below the lower limit')
      : no(170140, 'Order value exceeded lower limit.')
  }
  if (book.wasUsed(clientOrderId) || stops.find((one) => one.clientId === clientOrderId) !== undefined) {
    return isContract ? no(110072, 'OrderLinkedID is duplicate') : no(170141, 'Duplicate clientOrderId')
  }
  const of = { symbol, base, quote, isContract }
  const wanted: NewOrder = {
    clientOrderId,
    side: side === 'Buy' ? 'buy' : 'sell',
    size: qty,
    reduceOnly,
    ...(isStop && { stopPrice: sent.triggerPrice }),
    ...(isLimit && { limit: sent.price, postOnly }),
    ...(Number(positionIdx) === 0
      ? {}
      : { positionSide: Number(positionIdx) === 1 ? ('long' as const) : ('short' as const) }),
  }
  let placed = book.place(of, wanted)
  if (placed === 'takes') placed = book.placeEnded(of, wanted, 'EC_PostOnlyWillTakeLiquidity')
  // Bybit would let it wait for the price to rise to it.
  if (placed === 'beyond') return no(10001, 'The stand-in takes no sale above the price')
  if (placed === 'reduce-only')
    return no(110017, 'current position is zero, cannot fix reduce-only order qty')
  if (placed === 'price-band') {
    return isContract
      ? no(110003, 'Order price exceeds the allowable range.')
      : no(170194, 'Sell order price cannot be lower than 59000USDT.')
  }
  if (typeof placed === 'string') {
    return isContract ? no(110007, 'ab not enough for new order') : no(170131, 'Insufficient balance.')
  }
  return success(clock, { orderId: placed.id, orderLinkId: clientOrderId })
}

function isAsked(sent: Sent, listed: readonly BybitMarket[]) {
  return (order: BookOrder) => {
    const market = listed.find(({ symbol }) => symbol === order.symbol)
    if (market === undefined) return false
    if (sent.orderId !== undefined) return order.id === sent.orderId
    if (sent.orderLinkId !== undefined) return order.clientOrderId === sent.orderLinkId
    return sent.symbol === undefined || market.id === sent.symbol
  }
}

function isNamed({ orderId, orderLinkId }: Sent): boolean {
  return orderId !== undefined || orderLinkId !== undefined
}

/** Ended orders appear only if the request names one. */
function isRecent(sent: Sent) {
  return ({ status, at, trades }: BookOrder) =>
    status === 'open' || (isNamed(sent) && (trades.at(-1)?.at ?? at) > Date.now() - recentlyEndedMs)
}

function orderList(
  listed: readonly BybitMarket[],
  sent: Sent,
  clock: Clock,
  { book, stops }: BybitAccount,
  list: 'realtime' | 'history',
): Reply {
  const isListed = list === 'realtime' ? isRecent(sent) : ({ status }: BookOrder) => status !== 'open'
  const isWanted = isAsked(sent, listed)
  const orders = book
    .findAll((order) => isListed(order) && isWanted(order))
    .map((order) => {
      const stop = stops.stopOf(order)
      return { ...told(listed, order), ...(stop && conditionOf(stop)) }
    })
  const resting = listedStops(stops, list, isNamed(sent)).filter((stop) => isWanted(unfilled(stop)))
  const rows: Row[] = [
    ...orders,
    ...resting.map((stop) => ({ ...told(listed, unfilled(stop)), ...toldStop(stop) })),
  ].toSorted((a, b) => Number(b.createdTime) - Number(a.createdTime))
  const [from, to] = list === 'history' ? spanOf(sent) : [0, Number.POSITIVE_INFINITY]
  if (to - from > windowMs && list === 'history') {
    return failure(clock, 10001, 'The time range between startTime and endTime cannot exceed 7 days')
  }
  const found = rows.filter(({ createdTime }) => Number(createdTime) >= from && Number(createdTime) <= to)
  const start = Number(sent.cursor ?? 0)
  const page = found.slice(start, start + Math.min(Number(sent.limit ?? 20), 50))
  const nextPageCursor = page.length === 0 ? '' : String(start + page.length)
  return success(clock, { nextPageCursor, category: sent.category, list: page })
}

type Row = { createdTime: string } & Record<string, unknown>

/** A stop as an order that has executed nothing. */
function unfilled({
  id,
  clientId,
  symbol,
  side,
  size,
  reduceOnly,
  positionSide,
  status,
  at,
}: Stop): BookOrder {
  return {
    ...{ id, clientOrderId: clientId, symbol, side, size, reduceOnly, kind: 'order', at, trades: [] },
    ...{ status: status === 'open' ? 'open' : 'canceled' },
    ...(positionSide && { positionSide }),
  }
}

/** The time of the history that a request is about: at most seven days. */
function spanOf({ startTime, endTime }: Sent): [from: number, to: number] {
  const to = Number(endTime ?? (startTime === undefined ? Date.now() : Number(startTime) + windowMs))
  return [Number(startTime ?? to - windowMs), to]
}

/** Source: `parseOrder` and `fetchOrder` in ccxt's bybit.js. */
function told(listed: readonly BybitMarket[], order: BookOrder) {
  const { id, clientOrderId, side, size, reduceOnly, positionSide, at, status, stop, limit, trades } = order
  const { postOnly, endedAs } = order
  const market = listed.find(({ symbol }) => symbol === order.symbol)
  const isSpot = market?.category === 'spot'
  const filled = filledOf(order)
  const half = isSpot ? 'PartiallyFilledCanceled' : 'Cancelled'
  const rests = stop?.isTriggered === false
  const states = {
    open: trades.length > 0 ? 'PartiallyFilled' : rests ? 'Untriggered' : 'New',
    filled: 'Filled',
    canceled: trades.length > 0 ? half : rests ? 'Deactivated' : isSpot && endedAs ? 'Rejected' : 'Cancelled',
  }
  const [first] = trades
  const fee = trades.reduce((sum, trade) => sum.plus(trade.fee), new Big(0)).toFixed()
  return {
    symbol: market?.id,
    orderType: limit === undefined ? 'Market' : 'Limit',
    orderLinkId: clientOrderId,
    slLimitPrice: '0',
    orderId: id,
    cancelType: rests && status === 'canceled' ? 'CancelByUser' : 'UNKNOWN',
    avgPrice: first === undefined ? '' : filled.average,
    stopOrderType: stop === undefined ? '' : 'tpslOrder',
    lastPriceOnCreated: '',
    orderStatus: states[status],
    createType: 'CreateByUser',
    takeProfit: '',
    cumExecValue: filled.worth,
    ...(isSpot ? { marketUnit: 'baseCoin' } : { tpslMode: '' }),
    smpType: 'None',
    triggerDirection: 0,
    blockTradeId: '',
    cumFeeDetail: first === undefined ? {} : { [first.feeAsset]: fee },
    rejectReason: endedAs ?? 'EC_NoError',
    isLeverage: '',
    price: limit ?? (isSpot ? '0' : worstOf(filled.average)),
    createdTime: String(at),
    positionIdx: idxOf(positionSide),
    timeInForce: limit === undefined ? 'IOC' : postOnly === true ? 'PostOnly' : 'GTC',
    leavesValue: '0',
    updatedTime: String(trades.at(-1)?.at ?? at),
    side: side === 'buy' ? 'Buy' : 'Sell',
    triggerPrice: stop?.price ?? '',
    cumExecFee: fee,
    leavesQty: status === 'open' ? new Big(size).minus(filled.size).toFixed() : '0',
    closeOnTrigger: false,
    cumExecQty: filled.size,
    reduceOnly,
    qty: size,
    stopLoss: '',
    triggerBy: '',
    extraFees: '',
  }
}

/** A market order has the worst price at which Bybit would execute it. */
function worstOf(average: string): string {
  return new Big(average).times('1.05').round(2).toFixed()
}

function idxOf(side: BookOrder['positionSide']): number {
  return side === undefined ? 0 : side === 'long' ? 1 : 2
}

type Execution = { execTime: string } & Record<string, unknown>

/** Executions of all kinds and funding, the latest first. */
function executionList(listed: readonly BybitMarket[], sent: Sent, clock: Clock, book: AccountBook): Reply {
  const { startTime, endTime = String(Number(startTime) + windowMs), execType, cursor, limit = '50' } = sent
  const isById = sent.orderId !== undefined || sent.orderLinkId !== undefined
  if (!isById && startTime !== undefined && Number(endTime) - Number(startTime) > windowMs) {
    return failure(clock, 10001, 'The time range between startTime and endTime cannot exceed 7 days')
  }
  const from = isById ? 0 : Number(startTime ?? Date.now() - windowMs)
  const to = isById || startTime === undefined ? Number.POSITIVE_INFINITY : Number(endTime)
  const trades = book
    .trades(isAsked(sent, listed))
    .map(({ order, trade }) => executionOf(listed, order, trade))
  const isPaid = ({ symbol }: BookFunding) =>
    !isById && listed.some((market) => market.symbol === symbol && (sent.symbol ?? market.id) === market.id)
  const funding = book
    .fundingPayments()
    .filter(isPaid)
    .map((payment) => fundingOf(listed, payment))
  const rows: Execution[] = [...trades, ...funding]
    .filter(({ execTime }) => Number(execTime) >= from && Number(execTime) <= to)
    .filter((row) => execType === undefined || row.execType === execType)
    .sort((a, b) => Number(b.execTime) - Number(a.execTime))
  const start = Number(cursor ?? 0)
  const list = rows.slice(start, start + Math.min(Number(limit), 100))
  // The last page has a cursor too. Behind it, there is an empty page without one.
  const nextPageCursor = list.length === 0 ? '' : String(start + list.length)
  return success(clock, { nextPageCursor, category: sent.category, list })
}

const execTypes = { order: 'Trade', liquidation: 'BustTrade', adl: 'AdlTrade' }
const createTypes = {
  order: 'CreateByUser',
  liquidation: 'CreateByTakeOver_PassThrough',
  adl: 'CreateByAdl_PassThrough',
}

/** Source: `parseTrade` in ccxt's bybit.js. A fee that was paid is positive. */
function executionOf(listed: readonly BybitMarket[], order: BookOrder, trade: BookTrade): Execution {
  const market = listed.find(({ symbol }) => symbol === order.symbol)
  const isSpot = market?.category === 'spot'
  return {
    symbol: market?.id,
    orderType: 'Market',
    underlyingPrice: '',
    orderLinkId: order.clientOrderId,
    orderId: order.id,
    stopOrderType: isSpot ? '' : 'UNKNOWN',
    execTime: String(trade.at),
    feeCurrency: isSpot ? trade.feeAsset : '',
    createType: isSpot ? '' : createTypes[order.kind],
    feeRate: '0.00025',
    tradeIv: '',
    blockTradeId: '',
    markPrice: '',
    execPrice: trade.price,
    markIv: '',
    orderQty: order.size,
    orderPrice: trade.price,
    execValue: new Big(trade.size).times(trade.price).toFixed(),
    closedSize: '',
    execType: execTypes[order.kind],
    seq: `19157${trade.id}`,
    side: order.side === 'buy' ? 'Buy' : 'Sell',
    indexPrice: '',
    leavesQty: '0',
    isMaker: false,
    execFee: trade.fee,
    execId: trade.id,
    execQty: trade.size,
  }
}

/** Source: `parseIncome` in ccxt's bybit.js. A payment by the account is positive, like a fee. */
function fundingOf(listed: readonly BybitMarket[], { id, symbol, amount, at }: BookFunding): Execution {
  return {
    symbol: listed.find((market) => market.symbol === symbol)?.id,
    orderType: 'UNKNOWN',
    orderLinkId: '',
    orderId: `funding-${id}`,
    stopOrderType: 'UNKNOWN',
    execTime: String(at),
    feeCurrency: '',
    createType: '',
    feeRate: '-0.000761',
    execPrice: '137.11',
    orderQty: '0',
    orderPrice: '0',
    execValue: '134.3678',
    closedSize: '0',
    execType: 'Funding',
    side: 'Sell',
    leavesQty: '0',
    isMaker: false,
    execFee: new Big(amount).neg().toFixed(),
    execId: id,
    execQty: '0.98',
  }
}

/** A stop on spot is cancelled only if the request says that it is one. */
function cancel(sent: Sent, clock: Clock, book: AccountBook): Reply {
  const isOfFilter = ({ stop }: BookOrder) =>
    (stop?.isTriggered === false) === (sent.orderFilter === 'tpslOrder')
  const ended = book.cancel(
    (order) =>
      isOfFilter(order) &&
      (sent.orderId === undefined ? order.clientOrderId === sent.orderLinkId : order.id === sent.orderId),
  )
  if (ended === undefined) return failure(clock, 110001, 'order not exists or too late to cancel')
  return success(clock, { orderId: ended.id, orderLinkId: ended.clientOrderId })
}
