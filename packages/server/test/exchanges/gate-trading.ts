import { createHash, createHmac } from 'node:crypto'
import Big from 'big.js'
import { accountAnswer, contractSize, type GateMarket as Market } from './gate-account.ts'
import { spotStopAnswer } from './gate-spot-stops.ts'
import type { GateStops } from './gate-stops.ts'
import type { Reply, RestCall } from './stand-in.ts'
import { type AccountBook, answerOrFail, type BookOrder, filledOf } from './trading.ts'

type Clock = { now(): number }

const spotDecimals = 6
const leastSpotWorth = 3
const clockRoomS = 60

/** The private requests of Gate, on spot and USDT futures, that market orders need. */
export function privateRest(
  call: RestCall,
  markets: readonly Market[],
  clock: Clock,
  book: AccountBook,
  stops: GateStops,
): Reply | undefined {
  const path = call.path.replace('/api/v4/', '')
  const [, section = '', resource = '', id] = /^(spot|futures\/usdt)\/(\w+)(?:\/([^/]+))?$/.exec(path) ?? []
  const what = `${call.method} ${resource}${id === undefined ? '' : '/id'}`
  const listed = markets.filter((market) => market.section === section)
  const key = String(call.headers.key)
  const answer =
    accountAnswer(`${call.method} ${path}`, { query: call.query, markets, book, key }) ??
    (section === 'futures/usdt' ? stops.answerOf(what, call, listed, id) : undefined) ??
    (section === 'spot' ? spotStopAnswer(what, call, { markets: listed, book, stops }, id) : undefined) ??
    answerOf(what, call, listed, id, book)
  if (answer === undefined) return undefined
  const isOrder = what === 'POST orders'
  const checked = () => refuseSignature(call, clock, book, isOrder) ?? answer()
  const kind = what === 'POST price_orders' ? 'stop' : isOrder ? 'order' : 'question'
  return answerOrFail(book, kind, checked, {
    broken: failure('SERVER_ERROR', 'internal server error', 500),
    reject: failure('TRADE_RESTRICTED', 'trading is restricted', 403),
    rateLimit: failure('TOO_MANY_REQUESTS', 'Request Rate limit Exceeded (311)', 429),
  })
}

function answerOf(
  what: string,
  { query, body }: RestCall,
  markets: readonly Market[],
  id: string | undefined,
  book: AccountBook,
): (() => Reply) | undefined {
  switch (what) {
    case 'POST orders':
      return () => place(JSON.parse(body) as Record<string, unknown>, markets, book)
    case 'GET orders/id':
      return () => order(markets, id ?? '', book)
    case 'DELETE orders/id':
      return () => cancel(markets, id ?? '', book)
    case 'GET orders':
      return () => ({ json: finished(markets, query, book) })
    case 'GET open_orders':
      return () => ({ json: openOnSpot(markets, book) })
    case 'GET my_trades':
    case 'GET my_trades_timerange':
      return () => ({ json: trades(markets, query, book) })
    default:
      return undefined
  }
}

function failure(label: string, message: string, status = 400): Reply {
  return { status, json: { label, message } }
}

function refuseSignature(
  { method, path, search, body, headers }: RestCall,
  clock: Clock,
  book: AccountBook,
  isOrder: boolean,
): Reply | undefined {
  const key = book.keys.get(String(headers.key))
  if (key === undefined) return failure('INVALID_KEY', 'Invalid key provided', 401)
  const timestamp = String(headers.timestamp)
  if (!(Math.abs(clock.now() / 1000 - Number(timestamp)) <= clockRoomS)) {
    return failure('REQUEST_EXPIRED', 'gap between request Timestamp and server time exceeds 60', 403)
  }
  const bodyHash = createHash('sha512').update(body).digest('hex')
  const signed = [method, path, decodeURIComponent(search), bodyHash, timestamp].join('\n')
  const signature = createHmac('sha512', key.secret).update(signed).digest('hex')
  if (headers.sign !== signature) return failure('INVALID_SIGNATURE', 'Signature mismatch', 401)
  return key.mayTrade === false && isOrder
    ? failure('FORBIDDEN', 'API key does not have permission to trade', 403)
    : undefined
}

function place(sent: Record<string, unknown>, markets: readonly Market[], book: AccountBook): Reply {
  const market = markets.find(({ id }) => id === (sent.currency_pair ?? sent.contract))
  const clientOrderId = String(sent.text ?? '')
  if (market === undefined || market.active === false) return failure('INVALID_CURRENCY_PAIR', 'not traded')
  if (!/^t-[\w.-]{1,28}$/.test(clientOrderId)) return failure('INVALID_PARAM_VALUE', 'invalid text')
  if (book.openWith(clientOrderId) !== undefined)
    return failure('REPEATED_CREATION', 'text is in use already')
  const wanted = market.section === 'spot' ? ofSpot(sent, market, book) : ofFutures(sent, book)
  if (typeof wanted === 'string' || !('size' in wanted)) return wanted
  const [pair = ''] = market.symbol.split(':')
  const [base = '', quote = ''] = pair.split('/')
  const isContract = market.section !== 'spot'
  // A unified account has no account on spot of its own. ccxt's table of errors has the label.
  const account = book.mode.account === 'unified' ? 'unified' : 'spot'
  if (!isContract && sent.account !== account) return failure('MIXED_ACCOUNT_TYPE', 'account is not allowed')
  const placed = book.place({ symbol: market.symbol, base, quote, isContract }, { clientOrderId, ...wanted })
  if (placed === 'reduce-only')
    return failure('INVALID_PARAM_VALUE', 'reduce-only order would open a position')
  if (placed === 'takes')
    return failure('POC_FILL_IMMEDIATELY', 'Order would match and take immediately so its cancelled')
  if (placed === 'price-band') return failure('PRICE_TOO_DEVIATED', 'order price too deviated')
  if (typeof placed === 'string') return failure('BALANCE_NOT_ENOUGH', 'Not enough balance')
  return { status: 201, json: told(market, placed) }
}

type Wanted = Pick<BookOrder, 'side' | 'size' | 'reduceOnly' | 'positionSide' | 'limit' | 'postOnly'>

/** A market buy has its size in quote currency, which the service does not send. A limit order has it in base currency. */
function ofSpot(sent: Record<string, unknown>, market: Market, book: AccountBook): Wanted | Reply {
  const size = String(sent.amount)
  const side = sent.side === 'buy' ? 'buy' : 'sell'
  const price = book.price(market.symbol)
  const postOnly = sent.time_in_force === 'poc'
  const rests = postOnly || sent.time_in_force === 'gtc'
  if (side === 'buy' && sent.type === 'market')
    return failure('INVALID_PARAM_VALUE', 'amount is in quote currency')
  if (rests ? sent.type !== 'limit' : !['ioc', 'fok'].includes(String(sent.time_in_force)))
    return failure('INVALID_PARAM_VALUE', 'time_in_force')
  if (sent.type === 'limit' && !rests && new Big(String(sent.price)).lt(price))
    return failure('INVALID_PARAM_VALUE', 'price')
  if (!new Big(size).round(spotDecimals).eq(size)) return failure('INVALID_PRECISION', 'amount')
  if (new Big(size).times(price).lt(leastSpotWorth)) {
    return failure('INVALID_PARAM_VALUE', 'Your order size is too small. The minimum is 3 USDT')
  }
  return { side, size, reduceOnly: false, ...(rests && { limit: String(sent.price), postOnly }) }
}

/**
 * The number of contracts, negative for a sale. In dual mode, Gate's description of the request says: with `reduce_only`,
 * a positive size reduces the short, and a negative one the long; without it, they add to the long and the short.
 */
function ofFutures(sent: Record<string, unknown>, book: AccountBook): Wanted | Reply {
  const contracts = new Big(String(sent.size))
  if (contracts.eq(0) || !contracts.round(0).eq(contracts))
    return failure('INVALID_PARAM_VALUE', 'invalid size')
  const postOnly = sent.tif === 'poc'
  const isLimit = (sent.tif === 'gtc' || postOnly) && Number(sent.price) > 0
  if (!isLimit && (sent.tif !== 'ioc' || sent.price !== '0'))
    return failure('INVALID_PARAM_VALUE', 'invalid tif')
  const size = contracts.abs().times(contractSize).toFixed()
  const side = contracts.gt(0) ? 'buy' : 'sell'
  const reduceOnly = sent.reduce_only === true
  const wanted = { side, size, reduceOnly, ...(isLimit && { limit: String(sent.price), postOnly }) } as const
  if (book.mode.position === 'one-way') return wanted
  return { ...wanted, positionSide: (side === 'buy') === reduceOnly ? 'short' : 'long' }
}

function told(market: Market, placed: BookOrder) {
  const { id, side, size, reduceOnly, limit, at, status } = placed
  const { endedAs = limit === undefined ? 'ioc' : 'cancelled' } = placed
  const filled = filledOf(placed)
  const left = new Big(size).minus(filled.size)
  const updated = placed.trades.at(-1)?.at ?? at
  const finishAs = status === 'filled' ? 'filled' : endedAs
  const text = textOf(placed)
  if (market.section === 'spot') {
    return {
      id,
      text,
      create_time: String(Math.floor(at / 1000)),
      create_time_ms: at,
      update_time_ms: updated,
      status: { open: 'open', filled: 'closed', canceled: 'cancelled' }[status],
      ...(status === 'open' ? {} : { finish_as: finishAs }),
      currency_pair: market.id,
      type: 'limit',
      account: 'spot',
      side,
      amount: size,
      price: limit ?? '0',
      time_in_force: limit === undefined ? 'ioc' : placed.postOnly === true ? 'poc' : 'gtc',
      left: left.toFixed(),
      filled_total: filled.worth,
      avg_deal_price: filled.average,
    }
  }
  const signed = (amount: Big) =>
    Number(
      amount
        .div(contractSize)
        .times(side === 'buy' ? 1 : -1)
        .toFixed(),
    )
  return {
    id: Number(id),
    text,
    create_time: at / 1000,
    ...(status === 'open' ? {} : { finish_time: updated / 1000, finish_as: finishAs }),
    status: status === 'open' ? 'open' : 'finished',
    contract: market.id,
    size: signed(new Big(size)),
    left: signed(left),
    price: limit ?? '0',
    fill_price: filled.average,
    tif: limit === undefined ? 'ioc' : placed.postOnly === true ? 'poc' : 'gtc',
    is_reduce_only: reduceOnly,
  }
}

function order(markets: readonly Market[], id: string, book: AccountBook): Reply {
  const isHere = ({ symbol }: BookOrder) => markets.some((market) => market.symbol === symbol)
  const found = book.find((one) => isHere(one) && [one.id, one.clientOrderId].includes(id))
  if (found === undefined) return failure('ORDER_NOT_FOUND', 'Order not found', 404)
  return { json: told(markets.find(({ symbol }) => symbol === found.symbol) as Market, found) }
}

function cancel(markets: readonly Market[], id: string, book: AccountBook): Reply {
  const ended = book.cancel((one) => [one.id, one.clientOrderId].includes(id))
  const market = markets.find(({ symbol }) => symbol === ended?.symbol)
  if (ended === undefined || market === undefined) return failure('ORDER_NOT_FOUND', 'Order not found', 404)
  return { json: told(market, ended) }
}

/** Open orders on spot come in groups of a pair. */
function openOnSpot(markets: readonly Market[], book: AccountBook) {
  return markets.flatMap((market) => {
    const orders = book.openOrders().filter(({ symbol }) => symbol === market.symbol)
    return orders.length === 0
      ? []
      : [{ currency_pair: market.id, total: orders.length, orders: orders.map((one) => told(market, one)) }]
  })
}

/** The names of forced orders: Gate's description of a futures order. */
function textOf({ clientOrderId, kind }: BookOrder): string {
  if (kind === 'adl') return 'auto_deleveraging'
  if (kind === 'liquidation') return 'liq-1200000'
  return clientOrderId === '' ? 'web' : clientOrderId
}

function marketOf(markets: readonly Market[], query: URLSearchParams): Market | undefined {
  return markets.find(({ id }) => id === (query.get('currency_pair') ?? query.get('contract')))
}

function finished(markets: readonly Market[], query: URLSearchParams, book: AccountBook) {
  const market = marketOf(markets, query)
  if (market === undefined) return []
  const isOpen = query.get('status') === 'open'
  const found = book.findAll((one) => one.symbol === market.symbol && (one.status === 'open') === isOpen)
  return found.reverse().map((one) => told(market, one))
}

function trades(markets: readonly Market[], query: URLSearchParams, book: AccountBook) {
  const market = marketOf(markets, query)
  // Trades of contracts are listed by time, not by order.
  const id = market?.section === 'spot' ? query.get('order_id') : null
  const found = book
    .trades((one) => one.symbol === market?.symbol && (id === null || one.id === id))
    .filter(({ trade }) => isWithin(query, trade.at))
    .reverse()
  return pageOf(query, found).map(({ order, trade }) => {
    const { id: orderId, side } = order
    const common = {
      order_id: orderId,
      text: textOf(order),
      price: trade.price,
      fee: trade.fee,
      role: 'taker',
    }
    if (market?.section === 'spot') {
      const fees = { fee_currency: trade.feeAsset, gt_fee: '0', point_fee: '0' }
      const when = { create_time: String(Math.floor(trade.at / 1000)), create_time_ms: `${trade.at}.000000` }
      return { ...common, ...fees, ...when, id: trade.id, currency_pair: market.id, side, amount: trade.size }
    }
    const contracts = new Big(trade.size).div(contractSize).times(side === 'buy' ? 1 : -1)
    const size = Number(contracts.toFixed())
    return { ...common, trade_id: trade.id, create_time: trade.at / 1000, contract: market?.id, size }
  })
}

/** Times are in seconds. Without any, spot lists the last seven days only; all tests are shorter. */
function isWithin(query: URLSearchParams, at: number): boolean {
  const to = query.get('to')
  return at >= Number(query.get('from') ?? 0) * 1_000 && (to === null || at < (Number(to) + 1) * 1_000)
}

/** Spot counts pages, and futures rows. */
function pageOf<T>(query: URLSearchParams, rows: readonly T[]): T[] {
  const limit = Math.min(Number(query.get('limit') ?? 100), 1_000)
  const start = Number(query.get('offset') ?? (Number(query.get('page') ?? 1) - 1) * limit)
  return rows.slice(start, start + limit)
}
