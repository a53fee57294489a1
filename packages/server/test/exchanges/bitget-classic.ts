import Big from 'big.js'
import { adjustMargin, leverageHeld, leverages, modes, setLeverage } from './bitget-margin.ts'
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
import {
  type AccountBook,
  type BookOrder,
  type BookTrade,
  filledOf,
  type HeldPosition,
  type NewOrder,
} from './trading.ts'

const fillPage = 100

/** The API v2. The rows have the fields of the samples in ccxt's bitget.js, and of Bitget's own pages. */
export function classicAnswer(what: string, request: Request): (() => Reply) | undefined {
  const { clock, book, sent } = request
  const product = what.includes('v2/mix/') ? String(sent.productType).toUpperCase() : 'SPOT'
  switch (what) {
    case 'GET v2/spot/account/info':
      return () => success(clock, accountInfo(request))
    case 'GET v2/spot/account/assets':
      return () => success(clock, spotAssets(request))
    case 'GET v2/account/all-account-balance':
      return () => success(clock, [{ accountType: 'spot', usdtBalance: book.balance('USDT') }])
    case 'GET v2/mix/account/accounts':
      return () => success(clock, product === 'USDT-FUTURES' ? [futuresAccount(request)] : [])
    case 'GET v2/mix/account/account':
      return () => {
        const market = marketOf(request, product)
        if (market === undefined) return failure(clock, '40034', 'Parameter does not exist')
        return success(clock, {
          ...futuresAccount(request),
          ...leverages(request, market),
          ...modes(request),
        })
      }
    case 'POST v2/mix/account/set-leverage':
      return () => setLeverage(request, product)
    case 'POST v2/mix/account/set-margin-mode':
      return () => adjustMargin(request, marketOf(request, product)!) ?? success(clock, modes(request))
    case 'GET v2/mix/account/bill':
      return () => success(clock, bills(request, product))
    case 'GET v2/mix/position/all-position':
      return () => success(clock, positions(request, product))
    case 'POST v2/spot/trade/place-order':
    case 'POST v2/mix/order/place-order':
      return () => place(request, product)
    case 'GET v2/spot/trade/orderInfo':
    case 'GET v2/mix/order/detail':
      return () => order(request, product)
    case 'GET v2/spot/trade/unfilled-orders':
      return () => success(clock, openOrders(request, product))
    case 'GET v2/mix/order/orders-pending':
      return () => success(clock, { entrustedList: openOrders(request, product), endId: null })
    case 'GET v2/spot/trade/fills':
      return () => success(clock, fills(request, product))
    case 'GET v2/mix/order/fills':
      return () => success(clock, { fillList: fills(request, product), endId: '0' })
    case 'POST v2/spot/trade/cancel-order':
    case 'POST v2/mix/order/cancel-order':
      return () => cancel(request)
    default:
      return undefined
  }
}

/** A market buy on spot has its size in quote currency, which the service does not send. */
function place(request: Request, product: string): Reply {
  const { sent, clock, book } = request
  const no = (code: string, msg: string) => failure(clock, code, msg)
  const market = marketOf(request, product)
  const { size = '0', side, clientOid: clientOrderId = '', orderType = '', price = '0', force = '' } = sent
  if (market === undefined || market.active === false) return no('40034', 'Parameter does not exist')
  const isContract = product !== 'SPOT'
  const isHedged = isContract && book.mode.position === 'hedge'
  const tradeSide = sent.tradeSide?.toLowerCase()
  if (isHedged && tradeSide !== 'open' && tradeSide !== 'close') {
    return no('40774', 'The order type for unilateral position must also be the unilateral position type.')
  }
  if (isContract) {
    const fault = adjustMargin(request, market)
    if (fault !== undefined) return fault
  }
  const isClose = isHedged ? tradeSide === 'close' : sent.reduceOnly === 'YES'
  const fault = orderFault(
    market,
    { size, side: side ?? '', type: orderType, price, force, isClose },
    request,
  )
  if (fault !== undefined) return fault
  if (book.openWith(clientOrderId) !== undefined) return no('40786', 'Duplicate clientOid')
  const isBuy = side === 'buy'
  const isCrowded = isClose && !isHedged && makeRoom(book, market, new Big(size))
  const wanted: NewOrder = {
    clientOrderId,
    // In hedge mode, the side names the position: a long is opened and closed with "buy".
    side: isBuy === !(isHedged && isClose) ? 'buy' : 'sell',
    size,
    reduceOnly: isClose,
    ...(orderType === 'limit' && restsAs(force) ? { limit: price, postOnly: force === 'post_only' } : {}),
    ...(isHedged ? { positionSide: isBuy ? ('long' as const) : ('short' as const) } : {}),
  }
  const placed = placeOrEnd(book, bookMarketOf(market), wanted)
  if (placed === 'reduce-only') return no('22002', 'No position to close')
  // ccxt's table of errors has 41117 for a price outside the band.
  if (placed === 'price-band')
    return no('41117', `${market.base}/${market.quote} selling price cannot be lower`)
  if (typeof placed === 'string') return no('43012', 'Insufficient balance')
  return success(clock, { ...(isCrowded ? {} : { orderId: placed.id }), clientOid: clientOrderId })
}

/**
 * As on the page "Place Order": in one-way mode, the oldest orders that only reduce go, until all of them together close
 * no more than the position. Then the answer has no id. @returns whether one went
 */
function makeRoom(book: AccountBook, { symbol }: BitgetMarket, size: Big): boolean {
  const held = new Big(book.position(symbol)).abs()
  const resting = book.openOrders().filter((one) => one.symbol === symbol && one.reduceOnly)
  let sum = resting.reduce((all, one) => all.plus(one.size).minus(filledOf(one).size), size)
  let isCrowded = false
  for (const one of resting) {
    if (sum.lte(held)) break
    sum = sum.minus(one.size).plus(filledOf(one).size)
    book.cancel(({ id }) => id === one.id)
    isCrowded = true
  }
  return isCrowded
}

function isAsked({ sent }: Request) {
  return ({ id, clientOrderId }: BookOrder) =>
    sent.clientOid === undefined ? id === sent.orderId : clientOrderId === sent.clientOid
}

/** On spot a list, which may be empty. On futures one order or an error. */
function order(request: Request, product: string): Reply {
  const { markets, book, clock } = request
  const listed = markets.filter((market) => market.product === product)
  const isHere = ({ symbol }: BookOrder) => listed.some((market) => market.symbol === symbol)
  const found = book.find((one) => isHere(one) && isAsked(request)(one))
  const market = listed.find(({ symbol }) => symbol === found?.symbol)
  if (product === 'SPOT') return success(clock, found && market ? [told(market, found)] : [])
  if (found && market) return success(clock, { ...told(market, found), ...modes(request) })
  return failure(clock, '40109', 'The data of the order cannot be found, please confirm the order number')
}

function openOrders(request: Request, product: string) {
  const market = marketOf(request, product)
  if (market === undefined) return []
  const open = request.book.openOrders().filter(({ symbol }) => symbol === market.symbol)
  // In this list of spot, the price is called priceAvg, and the average price basePrice.
  return open.map((one) => {
    const row = told(market, one)
    if (product !== 'SPOT') return { ...row, ...modes(request) }
    return { ...row, priceAvg: row.price, basePrice: row.priceAvg }
  })
}

function told(market: BitgetMarket, placed: BookOrder) {
  const { id, clientOrderId, side, size, reduceOnly, positionSide, limit, at, status, trades } = placed
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
    side: positionSide === undefined ? side : positionSide === 'long' ? 'buy' : 'sell',
    priceAvg: filled.average,
    baseVolume: filled.size,
    quoteVolume: filled.worth,
    enterPointSource: clientOrderId === '' ? 'WEB' : 'API',
    orderSource: 'market',
    status: state,
    cTime: String(at),
    uTime: String(updatedAt(placed)),
    cancelReason: status === 'canceled' ? 'normal_cancel' : '',
  }
  if (market.product === 'SPOT') {
    const orderType = side === 'buy' || limit !== undefined ? 'limit' : 'market'
    return { ...common, orderType, price: limit ?? '0' }
  }
  return {
    ...common,
    state,
    orderType: limit === undefined ? 'market' : 'limit',
    price: limit ?? '',
    posSide: positionSide ?? 'net',
    marginCoin: market.quote,
    reduceOnly: reduceOnly && positionSide === undefined ? 'YES' : 'NO',
    tradeSide: tradeSideOf(placed),
  }
}

/** The values are from Bitget's page "Fill Channel". */
function tradeSideOf({ side, kind, reduceOnly, positionSide }: BookOrder): string {
  if (positionSide === undefined) {
    if (kind === 'adl') return `dte_sys_adl_${side}_in_single_side_mode`
    return kind === 'liquidation' ? `burst_${side}_single` : `${side}_single`
  }
  if (kind === 'adl') return `dte_sys_adl_close_${positionSide}`
  if (kind === 'liquidation') return `burst_close_${positionSide}`
  const isClose = reduceOnly || (side === 'buy') === (positionSide === 'short')
  return isClose ? 'close' : 'open'
}

/** The latest hundred trades, or, with `idLessThan`, the earlier ones. */
function fills(request: Request, product: string) {
  const { sent, book } = request
  const market = marketOf(request, product)
  const { orderId, idLessThan, limit = String(fillPage) } = sent
  const isWithin = within(request)
  return book
    .trades((one) => one.symbol === market?.symbol && (orderId === undefined || one.id === orderId))
    .filter(({ trade }) => idLessThan === undefined || Number(trade.id) < Number(idLessThan))
    .filter(({ trade }) => isWithin(trade.at))
    .reverse()
    .slice(0, Math.min(Number(limit), fillPage))
    .map(({ order: of, trade }) => fillOf(request, market as BitgetMarket, of, trade))
}

function fillOf(request: Request, market: BitgetMarket, of: BookOrder, trade: BookTrade) {
  const fee = feeOf(trade, market)
  const side = of.positionSide === 'long' ? 'buy' : of.positionSide === 'short' ? 'sell' : of.side
  const common = { symbol: market.id, orderId: of.id, tradeId: trade.id, side, cTime: String(trade.at) }
  if (market.product === 'SPOT') {
    const amounts = { priceAvg: trade.price, size: trade.size, amount: worthOf(trade) }
    return { ...common, ...amounts, orderType: 'market', tradeScope: 'taker', feeDetail: fee }
  }
  const amounts = { price: trade.price, baseVolume: trade.size, quoteVolume: worthOf(trade) }
  const { posMode } = modes(request)
  return { ...common, ...amounts, posMode, tradeSide: tradeSideOf(of), tradeScope: 'taker', feeDetail: [fee] }
}

/** A fee in another coin is a deduction, and has a positive sign. https://github.com/ccxt/ccxt/pull/21530 */
function feeOf({ fee, feeAsset }: BookTrade, { base, quote }: BitgetMarket) {
  const isDeducted = feeAsset !== base && feeAsset !== quote
  return {
    deduction: isDeducted ? 'yes' : 'no',
    feeCoin: feeAsset,
    totalDeductionFee: '',
    totalFee: isDeducted ? fee : new Big(fee).neg().toFixed(),
  }
}

function cancel(request: Request): Reply {
  const { book, clock } = request
  const ended = book.cancel(isAsked(request))
  if (ended === undefined) return failure(clock, '43001', 'The order does not exist')
  return success(clock, { orderId: ended.id, clientOid: ended.clientOrderId })
}

function accountInfo({ book, key }: Request) {
  const { mayTrade = true, mayWithdraw = false, ips = [] } = book.keys.get(key) ?? {}
  return {
    userId: '7264631750',
    inviterId: '1',
    ips: ips.join(','),
    authorities: ['coor', 'stor', ...(mayTrade ? ['coow', 'stow'] : []), ...(mayWithdraw ? ['wwow'] : [])],
    parentId: 1,
    traderType: 'not_trader',
    channelCode: 'XYZ',
    channel: 'XXX',
    regisTime: '1246566789345',
  }
}

function spotAssets({ book }: Request) {
  return book.balances().map(([coin, available]) => ({
    coin,
    available,
    frozen: '0',
    locked: '0',
    limitAvailable: '0',
    uTime: '0',
  }))
}

function futuresAccount({ book }: Request) {
  const equity = book.equity('USDT')
  return {
    marginCoin: 'USDT',
    locked: '0',
    available: book.balance('USDT'),
    accountEquity: equity,
    usdtEquity: equity,
    unrealizedPL: '',
    coupon: '0',
  }
}

export function heldIn({ markets, book }: Request, product: string): [BitgetMarket, HeldPosition][] {
  return book.positions().flatMap((held): [BitgetMarket, HeldPosition][] => {
    const market = markets.find((one) => one.product === product && one.symbol === held.symbol)
    return market === undefined ? [] : [[market, held]]
  })
}

function positions(request: Request, product: string) {
  return heldIn(request, product).map(([market, { side, size, entryPrice, unrealised }]) => ({
    marginCoin: market.quote,
    symbol: market.id,
    holdSide: side,
    openDelegateSize: '0',
    marginSize: '0',
    available: size,
    locked: '0',
    total: size,
    leverage: leverageHeld(request, market, side),
    achievedProfits: '0',
    openPriceAvg: entryPrice,
    ...modes(request),
    unrealizedPL: unrealised,
    liquidationPrice: '0',
    keepMarginRate: '0.004',
    markPrice: request.book.price(market.symbol),
    marginRatio: '0.029599540355',
    cTime: '1700807507275',
  }))
}

function bills(request: Request, product: string) {
  const { book, sent, markets } = request
  const isWithin = within(request)
  const rows = book
    .fundingPayments()
    .filter(
      ({ id, at }) => isWithin(at) && (sent.idLessThan === undefined || Number(id) < Number(sent.idLessThan)),
    )
    .flatMap(({ id, symbol, amount, asset, at }) => {
      const market = markets.find((one) => one.product === product && one.symbol === symbol)
      const row = { billId: id, amount, fee: '0', feeByCoupon: '', businessType: 'contract_settle_fee' }
      return market === undefined ? [] : [{ ...row, symbol: market.id, coin: asset, cTime: String(at) }]
    })
    .reverse()
    .slice(0, Math.min(Number(sent.limit ?? 20), fillPage))
  return { bills: rows, endId: rows.at(-1)?.billId ?? null }
}
