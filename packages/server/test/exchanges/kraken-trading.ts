import { createHash, createHmac } from 'node:crypto'
import Big from 'big.js'
import {
  keyInfo,
  type RequestCounter,
  tradeBalance,
  tradeIdOf,
  tradeOf,
  tradesHistory,
  txidOf,
} from './kraken-account.ts'
import type { Reply, RestCall } from './stand-in.ts'
import {
  type AccountBook,
  answerOrFail,
  type BookOrder,
  type FailureKind,
  filledOf,
  type Key,
} from './trading.ts'

/** The part of a market that trading needs. `altname` is Kraken's second name of it. */
type SpotMarket = { symbol: string; id: string; altname: string; active?: boolean }

const leastSize = '0.00005'
const lotDecimals = 8
const leastCost = '0.5'
const tick = '0.00000001'

/** The last nonce of each key. Nonces must rise. */
const nonces = new WeakMap<AccountBook, Map<string, number>>()

/** The private requests of Kraken spot that market orders need. Errors have status 200. */
export function spotRest(
  call: RestCall,
  markets: SpotMarket[],
  book: AccountBook,
  counter: RequestCounter,
): Reply | undefined {
  const method = /^\/0\/private\/(\w+)$/.exec(call.path)?.[1]
  if (method === undefined || call.method !== 'POST') return undefined
  const sent = new URLSearchParams(call.body)
  const key = book.keys.get(String(call.headers['api-key']))
  const answer = answerOf(method, sent, markets, book, key)
  if (answer === undefined) return failure('EGeneral:Unknown method')
  const checked = () => {
    const refusal = refuseSignature(call, sent, book, method)
    if (refusal !== undefined) return refusal
    return counter.take(key?.apiKey ?? '', method) ? answer() : failure('EAPI:Rate limit exceeded')
  }
  return answerOrFail(book, kindOf(method, sent), checked, {
    broken: { status: 502, text: 'Bad Gateway' },
    reject: failure('EOrder:Invalid price'),
    rateLimit: failure('EAPI:Rate limit exceeded'),
    maintenance: failure('EService:Unavailable'),
  })
}

function kindOf(method: string, sent: URLSearchParams): FailureKind {
  if (method !== 'AddOrder') return 'question'
  return sent.get('ordertype') === 'stop-loss' ? 'stop' : 'order'
}

function answerOf(
  method: string,
  sent: URLSearchParams,
  markets: SpotMarket[],
  book: AccountBook,
  key: Key | undefined,
): (() => Reply) | undefined {
  switch (method) {
    case 'Balance':
      return () =>
        success(Object.fromEntries(book.balances().map(([asset, amount]) => [codeOf(asset), amount])))
    case 'BalanceEx':
      return () =>
        success(
          Object.fromEntries(
            book
              .balances()
              .map(([asset, balance]) => [codeOf(asset), { balance, hold_trade: book.locked(asset) }]),
          ),
        )
    case 'AddOrder':
      return () => place(sent, markets, book)
    case 'OpenOrders':
      return () => success({ open: orders(sent, markets, book, true) })
    case 'ClosedOrders':
      return () => {
        const closed = orders(sent, markets, book, false)
        return success({ closed, count: Object.keys(closed).length })
      }
    case 'QueryOrders':
      return () => success(orders(sent, markets, book))
    case 'CancelOrder':
      return () => {
        const wanted = sent.get('cl_ord_id')
        const ended = book.cancel(({ id, clientOrderId }) =>
          wanted === null ? txidOf(id) === sent.get('txid') : clientOrderId === wanted,
        )
        return ended === undefined ? failure('EOrder:Unknown order') : success({ count: 1 })
      }
    case 'QueryTrades':
      return () => queryTrades(sent, markets, book)
    case 'TradesHistory':
      return () => success(tradesHistory(sent, markets, book))
    case 'TradeBalance':
      return () => success(tradeBalance(book))
    case 'GetApiKeyInfo':
      return () => success(keyInfo(key as Key))
    default:
      return undefined
  }
}

function success(result: unknown): Reply {
  return { json: { error: [], result } }
}

function failure(error: string): Reply {
  return { json: { error: [error] } }
}

/** Kraken's names of assets, where they differ from the common ones. */
function codeOf(asset: string): string {
  return { BTC: 'XXBT', ETH: 'XETH', USD: 'ZUSD', EUR: 'ZEUR', DOGE: 'XXDG' }[asset] ?? asset
}

function refuseSignature(
  { path, body, headers }: RestCall,
  sent: URLSearchParams,
  book: AccountBook,
  method: string,
): Reply | undefined {
  const key = book.keys.get(String(headers['api-key']))
  if (key === undefined) return failure('EAPI:Invalid key')
  const nonce = sent.get('nonce') ?? ''
  const hash = createHash('sha256')
    .update(nonce + body)
    .digest()
  const signature = createHmac('sha512', Buffer.from(key.secret, 'base64'))
    .update(Buffer.concat([Buffer.from(path), hash]))
    .digest('base64')
  if (headers['api-sign'] !== signature) return failure('EAPI:Invalid signature')
  const last = nonces.get(book) ?? new Map<string, number>()
  nonces.set(book, last)
  if (!(Number(nonce) > (last.get(key.apiKey) ?? 0))) return failure('EAPI:Invalid nonce')
  last.set(key.apiKey, Number(nonce))
  return key.mayTrade === false && method === 'AddOrder' ? failure('EGeneral:Permission denied') : undefined
}

function place(sent: URLSearchParams, markets: SpotMarket[], book: AccountBook): Reply {
  const market = markets.find(({ id, altname }) => [id, altname].includes(sent.get('pair') ?? ''))
  const size = sent.get('volume') ?? '0'
  const side = sent.get('type') === 'buy' ? 'buy' : 'sell'
  const clientOrderId = sent.get('cl_ord_id') ?? ''
  if (market === undefined) return failure('EQuery:Unknown asset pair')
  const type = sent.get('ordertype') ?? ''
  const price = sent.get('price')
  if (!['market', 'limit', 'stop-loss'].includes(type)) return failure('EGeneral:Invalid arguments:ordertype')
  if ((type === 'market') !== (price === null)) return failure('EGeneral:Invalid arguments:price')
  if (price !== null && !new Big(price).mod(tick).eq(0)) return failure('EOrder:Invalid price')
  if (!isClientOrderId(clientOrderId)) return failure('EGeneral:Invalid arguments:cl_ord_id')
  if (market.active === false) return failure('EService:Market in cancel_only mode')
  if (new Big(size).lt(leastSize)) return failure('EGeneral:Invalid arguments:volume minimum not met')
  if (!new Big(size).round(lotDecimals).eq(size)) return failure('EGeneral:Invalid arguments:volume')
  if (new Big(size).times(book.price(market.symbol)).lt(leastCost))
    return failure('EOrder:Cost minimum not met')
  // "Kraken verifies cl_ord_id uniqueness across open orders for each client": the page "Spot Client Order Identifiers".
  if (book.openWith(clientOrderId) !== undefined) return failure('EOrder:cl_ord_id already in use')
  const [base = '', quote = ''] = market.symbol.split('/')
  const placed = book.place(
    { symbol: market.symbol, base, quote, isContract: false },
    {
      ...{ clientOrderId, side, size, reduceOnly: false },
      ...(price !== null && type === 'stop-loss' && { stopPrice: price }),
      ...(price !== null && type === 'limit' && { limit: price, postOnly: isPostOnly(sent) }),
    },
  )
  if (placed === 'takes') return failure('EOrder:Post only order')
  // No page says what Kraken answers then.
  if (placed === 'beyond') return failure('EOrder:Invalid price')
  if (placed === 'price-band') return failure('EService:Market in cancel_only mode')
  if (typeof placed === 'string') return failure('EOrder:Insufficient funds')
  const order = `${side} ${size} ${market.altname} @ ${price === null ? 'market' : `${type} ${price}`}`
  return success({ descr: { order }, txid: [txidOf(placed.id)] })
}

function isPostOnly(sent: URLSearchParams): boolean {
  return (sent.get('oflags') ?? '').split(',').includes('post')
}

/** Free text of up to 18 characters, or a UUID with or without its dashes. */
function isClientOrderId(id: string): boolean {
  return id.length <= 18 || /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/.test(id)
}

/** @param areOpen of open or of closed orders; without it, of those whose ids are asked for */
function orders(sent: URLSearchParams, markets: SpotMarket[], book: AccountBook, areOpen?: boolean) {
  const wanted = sent.get('cl_ord_id')
  const ids = (sent.get('txid') ?? '').split(',')
  const withTrades = sent.get('trades')?.toLowerCase() === 'true'
  const found = book.findAll(
    (order) =>
      markets.some(({ symbol }) => symbol === order.symbol) &&
      (areOpen === undefined ? ids.includes(txidOf(order.id)) : (order.status === 'open') === areOpen) &&
      (wanted === null || order.clientOrderId === wanted),
  )
  return Object.fromEntries(
    found.map((order) => [txidOf(order.id), told(order, markets, withTrades ? book : undefined)]),
  )
}

function told(order: BookOrder, markets: SpotMarket[], book: AccountBook | undefined) {
  const { side, size, clientOrderId, status, stop, at, limit, postOnly, endedAs = null } = order
  const type = stop !== undefined ? 'stop-loss' : limit === undefined ? 'market' : 'limit'
  const { altname = '' } = markets.find(({ symbol }) => symbol === order.symbol) ?? {}
  const filled = filledOf(order)
  return {
    refid: null,
    userref: null,
    cl_ord_id: clientOrderId,
    status: status === 'filled' ? 'closed' : status,
    reason: endedAs,
    opentm: at / 1000,
    ...(status === 'open' ? {} : { closetm: (order.trades.at(-1)?.at ?? at) / 1000 }),
    starttm: 0,
    expiretm: 0,
    descr: {
      pair: altname,
      type: side,
      ordertype: type,
      price: stop?.price ?? limit ?? '0',
      price2: '0',
      leverage: 'none',
      order: `${side} ${size} ${altname} @ ${type} ${stop?.price ?? limit ?? ''}`,
      close: '',
    },
    vol: size,
    vol_exec: filled.size,
    cost: filled.worth,
    fee: order.trades.reduce((sum, { fee }) => sum.plus(fee), new Big(0)).toFixed(),
    price: filled.average,
    stopprice: stop?.isTriggered === true ? stop.price : '0.00000',
    limitprice: '0.00000',
    misc: stop?.isTriggered === true ? 'stopped' : '',
    ...(stop && { trigger: 'last' }),
    oflags: postOnly === true ? 'fciq,post' : 'fciq',
    ...(book === undefined
      ? {}
      : { trades: book.trades((one) => one === order).map(({ trade }) => tradeIdOf(trade.id)) }),
  }
}

/** At most 20 ids at once. An empty list of ids is not one. */
function queryTrades(sent: URLSearchParams, markets: SpotMarket[], book: AccountBook): Reply {
  const wanted = (sent.get('txid') ?? '').split(',').filter((id) => id !== '')
  if (wanted.length === 0 || wanted.length > 20) return failure('EGeneral:Invalid arguments:txid')
  const found = book.trades(() => true).filter(({ trade }) => wanted.includes(tradeIdOf(trade.id)))
  const listed = found.map(({ order, trade }) => [tradeIdOf(trade.id), tradeOf(order, trade, markets)])
  return success(Object.fromEntries(listed))
}
