import { heldIn } from './bitget-classic.ts'
import {
  type BitgetMarket,
  bookMarketOf,
  failure,
  marketOf,
  orderFault,
  placeOrEnd,
  type Request,
  restsAs,
  success,
  updatedAt,
  within,
  worthOf,
} from './bitget-request.ts'
import type { Reply } from './stand-in.ts'
import { type BookOrder, type BookTrade, filledOf } from './trading.ts'

const pageLimit = 100
const longestWindowMs = 30 * 86_400_000

/**
 * The API v3 of unified trading accounts. The rows have the fields of the samples in ccxt's bitget.js ("uta") and in the
 * recorded answers of github.com/JKorf/Bitget.Net (UnitTests/Endpoints/Unified).
 */
export function unifiedAnswer(what: string, request: Request): (() => Reply) | undefined {
  const { clock, book } = request
  switch (what) {
    case 'GET v3/account/settings':
      return () => success(clock, settings(request))
    case 'POST v3/account/set-leverage':
      return () => setLeverage(request)
    case 'GET v3/account/info':
      return () => success(clock, accountInfo(request))
    case 'GET v3/account/assets':
      return () => success(clock, assets(request))
    case 'GET v3/account/financial-records':
      return () => paged(request, records(request), ({ id }) => id)
    case 'GET v3/position/current-position':
      return () => success(clock, { list: positions(request) })
    case 'POST v3/trade/place-order':
      return () => place(request)
    case 'GET v3/trade/order-info':
      return () => order(request)
    case 'GET v3/trade/unfilled-orders':
      return () => paged(request, orders(request, book.openOrders()), ({ orderId }) => orderId)
    case 'GET v3/trade/history-orders':
      return () =>
        paged(
          request,
          orders(
            request,
            book.findAll(({ status }) => status !== 'open'),
          ),
          ({ orderId }) => orderId,
        )
    case 'GET v3/trade/fills':
      return () => paged(request, fills(request), ({ execId }) => execId)
    case 'POST v3/trade/cancel-order':
      return () => cancel(request)
    default:
      return undefined
  }
}

/** A page of the rows, the latest first. The cursor is the id of the last row. */
function paged<T>({ sent, clock }: Request, rows: T[], idOf: (row: T) => string): Reply {
  const { startTime, endTime, cursor, limit = String(pageLimit) } = sent
  if (Number(endTime) - Number(startTime) > longestWindowMs) {
    return failure(clock, '400172', 'Parameter verification failed')
  }
  const after = cursor === undefined ? rows : rows.filter((row) => Number(idOf(row)) < Number(cursor))
  const list = after.slice(0, Math.min(Number(limit), pageLimit))
  const last = list.at(-1)
  return success(clock, { list, cursor: last === undefined ? null : idOf(last) })
}

function holdMode({ book }: Request) {
  return book.mode.position === 'hedge' ? 'hedge_mode' : 'one_way_mode'
}

function marginMode({ book }: Request) {
  return book.mode.margin === 'isolated' ? 'isolated' : 'crossed'
}

function settings(request: Request) {
  const futures = request.markets.filter(({ product }) => product !== 'SPOT')
  return {
    uid: '7264631750',
    accountMode: 'unified',
    assetMode: 'multi_assets',
    accountLevel: 'advanced',
    holdMode: holdMode(request),
    stpMode: 'none',
    symbolConfigList: futures.map(({ product, id, symbol }) => ({
      category: product,
      symbol: id,
      marginMode: marginMode(request),
      leverage: request.book.leverageOf(symbol),
    })),
    coinConfigList: [{ coin: 'USDT', leverage: '6' }],
  }
}

/** As on the page "Set Leverage": with isolated margin, it names the side. */
function setLeverage(request: Request): Reply {
  const { sent, clock, book } = request
  const { category = '', leverage = '', marginMode: mode, posSide } = sent
  const market = marketOf(request, category)
  const isIsolated = mode === 'isolated'
  if (market === undefined || mode !== marginMode(request) || isIsolated !== (posSide !== undefined))
    return failure(clock, '25100', 'The trading pair does not exist')
  book.setLeverage(market.symbol, leverage)
  return success(clock, 'success')
}

function accountInfo({ book, key }: Request) {
  const { mayTrade = true, mayWithdraw = false, ips = [] } = book.keys.get(key) ?? {}
  return {
    userId: '7264631750',
    inviterId: '987654321',
    parentId: '',
    channelCode: '6258',
    channel: 'official',
    ips: ips.join(','),
    permType: mayTrade ? 'read-and-write' : 'read-only',
    permissions: ['uta_mgt', 'uta_trade', ...(mayWithdraw ? ['withdraw'] : [])],
    regisTime: '1704067200000',
  }
}

function assets({ book }: Request) {
  const equity = book.equity('USDT')
  return {
    accountEquity: equity,
    usdtEquity: equity,
    btcEquity: '0.00011256',
    unrealisedPnl: '0',
    effEquity: equity,
    mmr: '0',
    imr: '0',
    mgnRatio: '0',
    assets: book.balances().map(([coin, balance]) => ({
      coin,
      equity: balance,
      usdValue: '0',
      balance,
      available: balance,
      debt: '0',
      locked: '0',
    })),
  }
}

function place(request: Request): Reply {
  const { sent, clock, book } = request
  const no = (code: string, msg: string) => failure(clock, code, msg)
  const { category = '', qty = '0', side = '', clientOid: clientOrderId = '', orderType = '' } = sent
  const { price = '0', timeInForce = '', posSide } = sent
  const market = marketOf(request, category)
  if (market === undefined || market.active === false) return no('25100', 'The trading pair does not exist')
  const isContract = category !== 'SPOT'
  const isHedged = isContract && book.mode.position === 'hedge'
  if (isHedged !== (posSide === 'long' || posSide === 'short')) {
    return no('40774', 'The order type for unilateral position must also be the unilateral position type.')
  }
  // An order without a margin mode has cross margin.
  const { marginMode: wanted = 'crossed' } = sent
  if (isContract && wanted !== marginMode(request)) {
    const isHeld = book.positions().some(({ symbol }) => symbol === market.symbol)
    if (isHeld)
      return no('45117', 'Currently holding positions or orders, the margin mode cannot be adjusted')
    book.setMargin(wanted === 'isolated' ? 'isolated' : 'cross')
  }
  const isClose = isHedged ? (side === 'buy') === (posSide === 'short') : sent.reduceOnly === 'yes'
  const checked = { size: qty, side, type: orderType, price, force: timeInForce, isClose }
  const fault = orderFault(market, checked, request)
  if (fault !== undefined) return fault
  if (book.openWith(clientOrderId) !== undefined) return no('25212', 'Duplicate clientOid')
  const rests = orderType === 'limit' && restsAs(timeInForce)
  const placed = placeOrEnd(book, bookMarketOf(market), {
    clientOrderId,
    side: side === 'buy' ? 'buy' : 'sell',
    size: qty,
    reduceOnly: isClose,
    ...(rests ? { limit: price, postOnly: timeInForce === 'post_only' } : {}),
    ...(isHedged ? { positionSide: posSide as 'long' | 'short' } : {}),
  })
  // The numbers of these refusals: github.com/tiagosiebler/bitget-api, API_ERROR_CODE.
  if (placed === 'reduce-only') return no('25227', 'No position to close')
  if (placed === 'price-band') return no('25206', 'The price is out of the allowed range')
  if (typeof placed === 'string') return no(isContract ? '25203' : '25202', 'Insufficient balance')
  return success(clock, { orderId: placed.id, clientOid: clientOrderId })
}

function isAsked({ sent }: Request) {
  return ({ id, clientOrderId }: BookOrder) =>
    sent.clientOid === undefined ? id === sent.orderId : clientOrderId === sent.clientOid
}

function order(request: Request): Reply {
  const { book, markets, clock } = request
  const found = book.find(isAsked(request))
  const market = markets.find(({ symbol }) => symbol === found?.symbol)
  if (found === undefined || market === undefined) return failure(clock, '25204', 'Order does not exist')
  return success(clock, told(request, market, found))
}

function cancel(request: Request): Reply {
  const { book, clock } = request
  const ended = book.cancel(isAsked(request))
  if (ended === undefined) return failure(clock, '25204', 'Order does not exist')
  return success(clock, { orderId: ended.id, clientOid: ended.clientOrderId })
}

function orders(request: Request, found: readonly BookOrder[]) {
  const { sent, markets } = request
  const isWithin = within(request)
  return found
    .filter(({ at }) => isWithin(at))
    .flatMap((one) => {
      const market = markets.find(({ symbol, product }) => symbol === one.symbol && product === sent.category)
      const isWanted = market !== undefined && (sent.symbol ?? market.id) === market.id
      return isWanted ? [told(request, market, one)] : []
    })
    .reverse()
}

function told(request: Request, market: BitgetMarket, placed: BookOrder) {
  const { id, clientOrderId, side, size, reduceOnly, positionSide, kind, at, status, trades, limit } = placed
  const filled = filledOf(placed)
  const isPartial = status === 'open' && trades.length > 0
  const isContract = market.product !== 'SPOT'
  return {
    orderId: id,
    clientOid: clientOrderId,
    category: market.product,
    symbol: market.id,
    orderType: limit !== undefined || (!isContract && side === 'buy') ? 'limit' : 'market',
    side,
    price: limit ?? '0',
    qty: size,
    amount: '0',
    cumExecQty: filled.size,
    cumExecValue: filled.worth,
    avgPrice: filled.average,
    timeInForce: 'gtc',
    orderStatus: isPartial
      ? 'partially_filled'
      : { open: 'live', filled: 'filled', canceled: 'cancelled' }[status],
    posSide: positionSide ?? '',
    holdMode: isContract ? holdMode(request) : '',
    reduceOnly: reduceOnly && positionSide === undefined ? 'YES' : 'NO',
    marginMode: marginMode(request),
    feeDetail: feeDetail(trades),
    cancelReason: status === 'canceled' ? 'normal_cancel' : '',
    // The values: Bitget.Net/Enums/Uta/ExecutionType.cs. It has none for ADL.
    execType: { order: 'normal', liquidation: 'liquidation', adl: 'adl' }[kind],
    createdTime: String(at),
    updatedTime: String(updatedAt(placed)),
  }
}

/** A fee that was paid is positive. */
function feeDetail(trades: readonly BookTrade[]) {
  if (trades.length === 0) return [{ feeCoin: '', fee: '' }]
  const total = filledOf({ trades: trades.map(({ fee }) => ({ size: fee, price: '1' })) })
  return [{ feeCoin: trades[0]?.feeAsset, fee: total.size }]
}

function fills(request: Request) {
  const { sent, book, markets } = request
  const isWithin = within(request)
  return book
    .trades(({ id }) => sent.orderId === undefined || id === sent.orderId)
    .filter(({ trade }) => isWithin(trade.at))
    .flatMap(({ order: of, trade }) => {
      const market = markets.find(({ symbol }) => symbol === of.symbol)
      const isWanted = market !== undefined && (sent.category ?? market.product) === market.product
      return isWanted ? [fillOf(market, of, trade)] : []
    })
    .reverse()
}

function fillOf({ product, id }: BitgetMarket, of: BookOrder, trade: BookTrade) {
  return {
    execId: trade.id,
    orderId: of.id,
    clientOid: of.clientOrderId,
    category: product,
    symbol: id,
    orderType: 'market',
    side: of.side,
    execPrice: trade.price,
    execQty: trade.size,
    execValue: worthOf(trade),
    tradeScope: 'taker',
    feeDetail: feeDetail([trade]),
    createdTime: String(trade.at),
    updatedTime: String(trade.at),
    execPnl: '0',
  }
}

function positions(request: Request) {
  const { sent, book } = request
  return heldIn(request, String(sent.category)).map(([market, { side, size, entryPrice, unrealised }]) => ({
    category: market.product,
    symbol: market.id,
    marginCoin: market.quote,
    holdMode: holdMode(request),
    posSide: side,
    marginMode: marginMode(request),
    positionBalance: '5.435199',
    available: size,
    frozen: '0',
    total: size,
    leverage: '20',
    curRealisedPnl: '0',
    avgPrice: entryPrice,
    positionStatus: 'normal',
    unrealisedPnl: unrealised,
    liquidationPrice: '0',
    mmr: '0.004',
    profitRate: '0.0008647337475591',
    markPrice: book.price(market.symbol),
    createdTime: '1750495670699',
    updatedTime: '1750929883465',
  }))
}

function records(request: Request) {
  const { sent, book, markets } = request
  const isWithin = within(request)
  return book
    .fundingPayments()
    .filter(({ at }) => isWithin(at))
    .flatMap(({ id, symbol, asset, amount, at }) => {
      const market = markets.find((one) => one.symbol === symbol && one.product === sent.category)
      const type = `CONTRACT_MAIN_SETTLE_FEE_USER_${amount.startsWith('-') ? 'OUT' : 'IN'}`
      if (market === undefined || (sent.type ?? type) !== type) return []
      const row = { category: market.product, id, symbol: market.id, coin: asset, type, fee: '0' }
      return [{ ...row, amount, balance: book.balance(asset), ts: String(at) }]
    })
    .reverse()
}
