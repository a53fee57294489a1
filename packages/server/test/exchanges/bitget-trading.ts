import { createHmac } from 'node:crypto'
import Big from 'big.js'
import type { Reply, RestCall, StandInMarket } from './stand-in.ts'
import { type AccountBook, answerOrFail, type BookOrder, filledOf } from './trading.ts'

export type BitgetMarket = StandInMarket & { product: string; base: string; quote: string }
type Clock = { now(): number }

const sizeSteps: Record<string, string> = { SPOT: '0.0001', 'USDT-FUTURES': '0.001' }
const leastWorth = 5
const requestLifeMs = 30_000
const fillPage = 100

/** The private requests of a classic Bitget account that market orders need. */
export function privateRest(
  call: RestCall,
  markets: readonly BitgetMarket[],
  clock: Clock,
  book: AccountBook,
): Reply | undefined {
  const sent = call.method === 'POST' ? parsed(call.body) : Object.fromEntries(call.query)
  const what = `${call.method} ${call.path.replace('/api/', '')}`
  const answer = answerOf(what, sent, markets, clock, book)
  if (answer === undefined) return undefined
  const isOrder = /\/place-order$/.test(what)
  const checked = () => refuseSignature(call, clock, book, isOrder) ?? answer()
  return answerOrFail(book, isOrder ? 'order' : 'question', checked, {
    broken: { status: 502, text: '<html>Bad Gateway</html>' },
    reject: failure(clock, '22034', 'Trading of this symbol is suspended'),
    rateLimit: failure(clock, '429', 'Too many requests', 429),
  })
}

function parsed(body: string): Record<string, string> {
  try {
    return JSON.parse(body) as Record<string, string>
  } catch {
    return {}
  }
}

function answerOf(
  what: string,
  sent: Record<string, string>,
  markets: readonly BitgetMarket[],
  clock: Clock,
  book: AccountBook,
): (() => Reply) | undefined {
  const product = what.includes('v2/mix/') ? String(sent.productType).toUpperCase() : 'SPOT'
  const listed = markets.filter((market) => market.product === product)
  const market = listed.find(({ id }) => id === sent.symbol)
  switch (what) {
    case 'GET v3/account/settings':
      return () => failure(clock, '40085', 'You are in Classic Account mode, and this is of unified accounts')
    case 'GET v2/spot/account/assets':
      return () => success(clock, spotAssets(book))
    case 'GET v2/mix/account/accounts':
      return () => success(clock, futuresAccounts(book))
    case 'POST v2/spot/trade/place-order':
    case 'POST v2/mix/order/place-order':
      return () => place(market, sent, clock, book)
    case 'GET v2/spot/trade/orderInfo':
    case 'GET v2/mix/order/detail':
      return () => order(listed, product, sent, clock, book)
    case 'GET v2/spot/trade/fills':
      return () => success(clock, fills(market, sent, book))
    case 'GET v2/mix/order/fills':
      return () => success(clock, { fillList: fills(market, sent, book), endId: '0' })
    case 'POST v2/spot/trade/cancel-order':
    case 'POST v2/mix/order/cancel-order':
      return () => cancel(sent, clock, book)
    default:
      return undefined
  }
}

function success(clock: Clock, data: unknown): Reply {
  return { json: { code: '00000', msg: 'success', requestTime: clock.now(), data } }
}

function failure(clock: Clock, code: string, msg: string, status = 400): Reply {
  return { status, json: { code, msg, requestTime: clock.now(), data: null } }
}

function refuseSignature(
  { method, path, search, body, headers }: RestCall,
  clock: Clock,
  book: AccountBook,
  isOrder: boolean,
): Reply | undefined {
  const key = book.keys.get(String(headers['access-key']))
  if (key === undefined) return failure(clock, '40006', 'Invalid ACCESS_KEY')
  const timestamp = String(headers['access-timestamp'])
  if (!(Math.abs(clock.now() - Number(timestamp)) <= requestLifeMs)) {
    return failure(clock, '40008', 'Request timestamp expired')
  }
  const query = search === '' ? '' : `?${decodeURIComponent(search)}`
  const signed = `${timestamp}${method}${path}${query}${body}`
  const signature = createHmac('sha256', key.secret).update(signed).digest('base64')
  if (headers['access-sign'] !== signature) return failure(clock, '40009', 'sign signature error')
  if (headers['access-passphrase'] !== key.password)
    return failure(clock, '40012', 'apikey/password is incorrect')
  return key.mayTrade === false && isOrder
    ? failure(clock, '40014', 'Incorrect permissions, need spot trade write permissions')
    : undefined
}

/** An order in one-way mode. A market buy on spot has its size in quote currency, which the service does not send. */
function place(
  market: BitgetMarket | undefined,
  sent: Record<string, string>,
  clock: Clock,
  book: AccountBook,
): Reply {
  const no = (code: string, msg: string) => failure(clock, code, msg)
  const { size = '0', side, clientOid: clientOrderId = '', orderType, price = '0' } = sent
  if (market === undefined || market.active === false) return no('40034', 'Parameter does not exist')
  const isContract = market.product !== 'SPOT'
  if (!isContract && side === 'buy' && orderType === 'market') return no('43008', 'size is in quote currency')
  if (
    orderType === 'limit' &&
    (sent.force?.toLowerCase() !== 'ioc' || new Big(price).lt(book.price(market.symbol)))
  ) {
    return no('43011', 'The parameter does not meet the specification')
  }
  const reduceOnly = sent.reduceOnly === 'YES'
  const step = sizeSteps[market.product] as string
  if (new Big(size).lte(0) || !new Big(size).mod(step).eq(0))
    return no('40808', 'Parameter verification: size')
  if (!reduceOnly && new Big(size).times(book.price(market.symbol)).lt(leastWorth)) {
    return no('45110', 'less than the minimum amount 5 USDT')
  }
  if (book.openWith(clientOrderId) !== undefined) return no('40786', 'Duplicate clientOid')
  const { symbol, base, quote } = market
  const wanted = {
    clientOrderId,
    side: side === 'buy' ? ('buy' as const) : ('sell' as const),
    size,
    reduceOnly,
  }
  const placed = book.place({ symbol, base, quote, isContract }, wanted)
  if (placed === 'reduce-only') return no('22002', 'No position to close')
  if (typeof placed === 'string') return no('43012', 'Insufficient balance')
  return success(clock, { orderId: placed.id, clientOid: clientOrderId })
}

function isAsked(sent: Record<string, string>) {
  return ({ id, clientOrderId }: BookOrder) =>
    sent.clientOid === undefined ? id === sent.orderId : clientOrderId === sent.clientOid
}

/** On spot a list, which may be empty. On futures one order or an error. */
function order(
  listed: readonly BitgetMarket[],
  product: string,
  sent: Record<string, string>,
  clock: Clock,
  book: AccountBook,
): Reply {
  const isHere = ({ symbol }: BookOrder) => listed.some((market) => market.symbol === symbol)
  const found = book.find((one) => isHere(one) && isAsked(sent)(one))
  const market = listed.find(({ symbol }) => symbol === found?.symbol)
  if (product === 'SPOT') return success(clock, found && market ? [told(market, found)] : [])
  if (found && market) return success(clock, told(market, found))
  return failure(clock, '40109', 'The data of the order cannot be found, please confirm the order number')
}

function told(market: BitgetMarket, placed: BookOrder) {
  const { id, clientOrderId, side, size, reduceOnly, at, status, trades } = placed
  const filled = filledOf(placed)
  const isPartial = status === 'open' && trades.length > 0
  const state = isPartial
    ? 'partially_filled'
    : { open: 'live', filled: 'filled', canceled: 'canceled' }[status]
  const common = {
    symbol: market.id,
    orderId: id,
    clientOid: clientOrderId,
    size,
    side,
    priceAvg: filled.average,
    baseVolume: filled.size,
    quoteVolume: filled.worth,
    enterPointSource: 'API',
    orderSource: 'market',
    cTime: String(at),
    uTime: String(trades.at(-1)?.at ?? at),
  }
  if (market.product === 'SPOT') return { ...common, status: state, orderType: 'market', price: '0' }
  return {
    ...common,
    state,
    orderType: 'market',
    price: '',
    posSide: 'net',
    posMode: 'one_way_mode',
    marginCoin: market.quote,
    marginMode: 'crossed',
    reduceOnly: reduceOnly ? 'YES' : 'NO',
    tradeSide: reduceOnly ? 'sell_single' : 'buy_single',
  }
}

/** The latest hundred trades, or, with `idLessThan`, the earlier ones. */
function fills(market: BitgetMarket | undefined, sent: Record<string, string>, book: AccountBook) {
  const { orderId, idLessThan, limit = String(fillPage) } = sent
  return book
    .trades((one) => one.symbol === market?.symbol && (orderId === undefined || one.id === orderId))
    .filter(({ trade }) => idLessThan === undefined || Number(trade.id) < Number(idLessThan))
    .reverse()
    .slice(0, Math.min(Number(limit), fillPage))
    .map(({ order: { id, side }, trade }) => {
      const fee = {
        deduction: 'no',
        feeCoin: trade.feeAsset,
        totalDeductionFee: '',
        totalFee: `-${trade.fee}`,
      }
      const common = { symbol: market?.id, orderId: id, tradeId: trade.id, side, cTime: String(trade.at) }
      if (market?.product === 'SPOT') {
        const amounts = { priceAvg: trade.price, size: trade.size, amount: worthOf(trade) }
        return { ...common, ...amounts, orderType: 'market', tradeScope: 'taker', feeDetail: fee }
      }
      const amounts = { price: trade.price, baseVolume: trade.size, quoteVolume: worthOf(trade) }
      return { ...common, ...amounts, posMode: 'one_way_mode', tradeScope: 'taker', feeDetail: [fee] }
    })
}

function worthOf({ size, price }: { size: string; price: string }): string {
  return new Big(size).times(price).toFixed()
}

function cancel(sent: Record<string, string>, clock: Clock, book: AccountBook): Reply {
  const ended = book.cancel(isAsked(sent))
  if (ended === undefined) return failure(clock, '43001', 'The order does not exist')
  return success(clock, { orderId: ended.id, clientOid: ended.clientOrderId })
}

function spotAssets(book: AccountBook) {
  return book.balances().map(([coin, available]) => ({
    coin,
    available,
    frozen: '0',
    locked: '0',
    limitAvailable: '0',
    uTime: '0',
  }))
}

function futuresAccounts(book: AccountBook) {
  const available = book.balance('USDT')
  return [{ marginCoin: 'USDT', locked: '0', available, accountEquity: available, usdtEquity: available }]
}
