import Big from 'big.js'
import { algoAnswer } from './okx-algo.ts'
import {
  answerSigned,
  type Clock,
  contractSize,
  failure,
  noPosition,
  type OkxMarket,
  parametersOf,
  refusedFuturesMode,
  refusedOrder,
  refusedSpotMode,
  type Sent,
  success,
  tick,
} from './okx-requests.ts'
import type { Exchange, Reply, RestCall } from './stand-in.ts'
import type { StopBook } from './stops.ts'
import { type AccountBook, type BookOrder, type BookTrade, filledOf, type NewOrder } from './trading.ts'

const lots = { SPOT: '0.00000001', SWAP: '0.01' }
const leastSizes = { SPOT: '0.0001', SWAP: '0.01' }
const fillPage = 100
const recentMs = 3 * 86_400_000

/** Orders and fills of an account of OKX. */
export function tradingRest(
  call: RestCall,
  exchange: Exchange<OkxMarket>,
  account: { book: AccountBook; stops: StopBook },
): Reply | undefined {
  const { book } = account
  const sent = parametersOf(call)
  const what = `${call.method} ${call.path.replace('/api/v5/', '')}`
  const answer = algoAnswer(what, call, exchange, account) ?? answerOf(what, call, sent, exchange, book)
  if (answer === undefined) return undefined
  return answerSigned(call, exchange, book, kinds[what] ?? 'question', answer)
}

const kinds: Record<string, 'order' | 'stop'> = {
  'POST trade/order': 'order',
  'POST trade/order-algo': 'stop',
}

function answerOf(
  what: string,
  call: RestCall,
  sent: Sent,
  exchange: Exchange<OkxMarket>,
  book: AccountBook,
): (() => Reply) | undefined {
  const market = exchange.markets.find(({ id }) => id === sent.instId)
  switch (what) {
    case 'POST trade/order':
      return () => place(market, sent, Number(call.headers.exptime), exchange, book)
    case 'GET trade/order':
      return () => order(market, sent, book)
    case 'GET trade/orders-pending':
      return () => success(openOrders(market, book))
    case 'GET trade/fills':
      return () => success(fills(market, sent, book, Date.now() - recentMs))
    case 'GET trade/fills-history':
      return () => success(fills(market, sent, book, 0))
    case 'POST trade/cancel-order':
      return () => cancel(market, sent, book)
    default:
      return undefined
  }
}

function place(
  market: OkxMarket | undefined,
  sent: Sent,
  expTime: number,
  clock: Clock,
  book: AccountBook,
): Reply {
  const { sz = '0', side, clOrdId = '', ordType, posSide, px } = sent
  const no = (code: string, msg: string) => refusedOrder(clOrdId, code, msg)
  if (market === undefined) return no('51001', 'Instrument ID does not exist')
  if (!/^[A-Za-z0-9]{1,32}$/.test(clOrdId)) return no('51000', 'Parameter clOrdId error')
  if (sent.tag !== undefined) return no('51000', 'The stand-in accepts no broker')
  const postOnly = ordType === 'post_only'
  const isLimit = (postOnly || ordType === 'limit') && px !== undefined
  if (ordType !== 'market' && !isLimit) return no('51000', 'The stand-in takes market orders and limits')
  if (isLimit && !new Big(px).mod(tick).eq(0)) return no('51000', 'Parameter px error')
  // OKX does not carry out an order that arrives after this time. Without it, it would take one for 30 seconds.
  if (!(clock.now() <= expTime && expTime <= clock.now() + 6_000)) return no('51149', 'Order timed out.')
  const { instType, symbol, base, quote } = market
  const isContract = instType === 'SWAP'
  const wrongMode = isContract ? refusedFuturesMode(market, sent, book) : refusedSpotMode(sent, book)
  if (wrongMode !== undefined) return no(...wrongMode)
  const amount = new Big(sz)
  if (!amount.mod(lots[instType]).eq(0))
    return no('51121', 'Order count should be the integer multiples of the lot size')
  if (amount.lt(leastSizes[instType]))
    return no('51020', 'Your order should meet or exceed the minimum order amount.')
  if (book.wasUsed(clOrdId)) return no('51016', 'Client order ID already exists.')
  const reduceOnly = isContract && (String(sent.reduceOnly) === 'true' || isClosing(sent))
  const size = isContract ? amount.times(contractSize) : amount
  // The mode of a position is that of the order that opened it.
  if (isContract && !reduceOnly && sent.tdMode === 'isolated') book.setMargin('isolated')
  const positionSide = posSide === 'long' ? ('long' as const) : ('short' as const)
  const of = { symbol, base, quote, isContract }
  const wanted: NewOrder = {
    clientOrderId: clOrdId,
    side: side === 'buy' ? 'buy' : 'sell',
    size: size.toFixed(),
    reduceOnly,
    ...(isLimit && { limit: px, postOnly }),
    ...(book.mode.position === 'hedge' && isContract ? { positionSide } : {}),
  }
  let placed = book.place(of, wanted)
  if (placed === 'takes') placed = book.placeEnded(of, wanted, '31')
  if (placed === 'reduce-only') return no('51169', noPosition)
  if (placed === 'price-band') {
    const limit = 'Your closing price has triggered the limit price, and the min sell price is 59000'
    return no('51136', limit)
  }
  if (typeof placed === 'string') {
    return no('51008', `Order failed. Insufficient ${side === 'buy' ? quote : base} balance in account`)
  }
  return success([{ clOrdId, ordId: placed.id, tag: '', sCode: '0', sMsg: '' }])
}

/** In long/short mode, the side and the position say whether an order closes. OKX ignores `reduceOnly` there. */
function isClosing({ side, posSide }: Sent): boolean {
  return (side === 'sell' && posSide === 'long') || (side === 'buy' && posSide === 'short')
}

function order(market: OkxMarket | undefined, { clOrdId, ordId }: Sent, book: AccountBook): Reply {
  const found = book.find(
    (one) =>
      one.symbol === market?.symbol &&
      (ordId === undefined ? one.clientOrderId === clOrdId : one.id === ordId),
  )
  if (market === undefined || found === undefined) return failure('51603', 'Order does not exist', 200)
  return success([told(market, found, book)])
}

function openOrders(market: OkxMarket | undefined, book: AccountBook) {
  if (market === undefined) return []
  return book
    .openOrders()
    .filter(({ symbol }) => symbol === market.symbol)
    .map((one) => told(market, one, book))
}

function amountOf({ instType }: OkxMarket, size: string): string {
  return instType === 'SWAP' ? new Big(size).div(contractSize).toFixed() : size
}

/** Source: `parseOrder` in ccxt's okx.js. A fee that was paid is negative. */
function told(market: OkxMarket, placed: BookOrder, book: AccountBook) {
  const { id, clientOrderId, side, size, reduceOnly, positionSide, at, status, limit, trades } = placed
  const { postOnly, endedAs } = placed
  const filled = filledOf(placed)
  const isSpot = market.instType === 'SPOT'
  const last = trades.at(-1)
  const fee = trades.reduce((sum, trade) => sum.minus(trade.fee), new Big(0)).toFixed()
  return {
    accFillSz: amountOf(market, filled.size),
    avgPx: last === undefined ? '' : filled.average,
    cancelSource: status === 'canceled' ? (endedAs ?? '1') : '',
    cTime: String(at),
    category: categories[placed.kind],
    ccy: '',
    clOrdId: clientOrderId,
    fee,
    feeCcy: last?.feeAsset ?? '',
    fillPx: last?.price ?? '',
    fillSz: last === undefined ? '0' : amountOf(market, last.size),
    fillTime: last === undefined ? '' : String(last.at),
    instId: market.id,
    instType: market.instType,
    lever: isSpot ? '' : '3',
    ordId: id,
    ordType: limit === undefined ? 'market' : postOnly === true ? 'post_only' : 'limit',
    pnl: '0',
    posSide: isSpot ? '' : (positionSide ?? 'net'),
    px: limit ?? '',
    rebate: '0',
    rebateCcy: market.quote,
    reduceOnly: String(reduceOnly),
    side,
    slOrdPx: '',
    slTriggerPx: '',
    state: status === 'open' ? (trades.length > 0 ? 'partially_filled' : 'live') : status,
    sz: amountOf(market, size),
    tag: '',
    tdMode: isSpot ? 'cash' : book.mode.margin,
    tgtCcy: isSpot ? 'base_ccy' : '',
    tpOrdPx: '',
    tpTriggerPx: '',
    tradeId: last?.id ?? '',
    uTime: String(last?.at ?? at),
  }
}

const categories = { order: 'normal', liquidation: 'full_liquidation', adl: 'adl' }
/** By kind, for a sell and a buy. Source: the list of subtypes in ccxt's okx.js. */
const subTypes = {
  order: { sell: '2', buy: '1' },
  liquidation: { sell: '104', buy: '105' },
  adl: { sell: '125', buy: '126' },
}

/** The latest hundred, or those before the bill of `after`. */
function fills(market: OkxMarket | undefined, sent: Sent, book: AccountBook, oldestAt: number) {
  const { ordId, begin = '0', after, limit = '100' } = sent
  if (market === undefined) return []
  return book
    .trades((one) => one.symbol === market.symbol && (ordId === undefined || one.id === ordId))
    .filter(({ trade }) => trade.at >= Math.max(Number(begin), oldestAt))
    .filter(({ trade }) => after === undefined || Number(trade.id) < Number(after))
    .sort((a, b) => Number(b.trade.id) - Number(a.trade.id))
    .slice(0, Math.min(Number(limit), fillPage))
    .map(({ order: one, trade }) => fillOf(market, one, trade))
}

/** Source: `parseTrade` in ccxt's okx.js. */
function fillOf(
  market: OkxMarket,
  { id, clientOrderId, side, kind, positionSide }: BookOrder,
  trade: BookTrade,
) {
  return {
    side,
    fillSz: amountOf(market, trade.size),
    fillPx: trade.price,
    fee: new Big(trade.fee).neg().toFixed(),
    ordId: id,
    instType: market.instType,
    instId: market.id,
    clOrdId: clientOrderId,
    posSide: positionSide ?? 'net',
    billId: trade.id,
    subType: subTypes[kind][side],
    tag: '',
    execType: 'T',
    tradeId: kind === 'adl' ? '' : trade.id,
    feeCcy: trade.feeAsset,
    ts: String(trade.at),
    fillTime: String(trade.at),
  }
}

function cancel(market: OkxMarket | undefined, { clOrdId, ordId = '' }: Sent, book: AccountBook): Reply {
  const ended = book.cancel(
    ({ symbol, id, clientOrderId }) =>
      symbol === market?.symbol && (clOrdId === undefined ? id === ordId : clientOrderId === clOrdId),
  )
  if (ended === undefined) {
    return refusedOrder(
      clOrdId ?? '',
      '51400',
      'Order cancellation failed as the order has been filled, canceled or does not exist',
    )
  }
  return success([{ clOrdId: ended.clientOrderId, ordId: ended.id, sCode: '0', sMsg: '' }])
}
