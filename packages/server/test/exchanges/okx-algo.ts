/**
 * Algo orders of OKX: stops that rest at the exchange. The shapes are those of the pages "Place algo
 * order", "Algo order details" and "Cancel algo order", and the codes those of "Error Code" and of ccxt's okx.js.
 */
import Big from 'big.js'
import {
  contractSize,
  failure,
  noPosition,
  type OkxMarket,
  parametersOf,
  refusedFuturesMode,
  refusedSpotMode,
  type Sent,
  success,
  tick,
} from './okx-requests.ts'
import type { Exchange, Reply, RestCall } from './stand-in.ts'
import type { Stop, StopBook } from './stops.ts'
import type { AccountBook } from './trading.ts'

const fields = new Set([
  ...['instId', 'tdMode', 'side', 'posSide', 'ordType', 'sz', 'slTriggerPx', 'slOrdPx', 'slTriggerPxType'],
  ...['reduceOnly', 'algoClOrdId', 'tpTriggerPx', 'tpOrdPx', 'tpTriggerPxType'],
])
const lots = { SPOT: '0.00000001', SWAP: '0.01' }

export function algoAnswer(
  what: string,
  call: RestCall,
  exchange: Exchange<OkxMarket>,
  account: { book: AccountBook; stops: StopBook },
): (() => Reply) | undefined {
  switch (what) {
    case 'POST trade/order-algo':
      return () => place(parametersOf(call), call.body, exchange, account)
    case 'GET trade/order-algo':
      return () => find(parametersOf(call), exchange, account)
    case 'POST trade/cancel-algos':
      return () => cancel(JSON.parse(call.body) as Sent[], exchange, account.stops)
    default:
      return undefined
  }
}

function refused(algoClOrdId: string, sCode: string, sMsg: string): Reply {
  return {
    json: { code: '1', data: [{ algoClOrdId, algoId: '', clOrdId: '', sCode, sMsg, tag: '' }], msg: '' },
  }
}

function place(
  sent: Sent,
  body: string,
  { markets }: Exchange<OkxMarket>,
  { book, stops }: { book: AccountBook; stops: StopBook },
): Reply {
  stops.noteRequest(body)
  const { instId, side, sz = '0', slTriggerPx: price = '0', algoClOrdId: clientId = '', posSide } = sent
  const no = (code: string, msg: string) => refused(clientId, code, msg)
  const strange = Object.keys(sent).find((name) => !fields.has(name))
  if (strange !== undefined) return no('51000', `The stand-in does not know ${strange} of a stop`)
  const market = markets.find(({ id }) => id === instId)
  if (market === undefined) return no('51001', 'Instrument ID does not exist')
  if (!/^[A-Za-z0-9]{1,32}$/.test(clientId)) return no('51000', 'Parameter algoClOrdId error')
  const target = sent.tpTriggerPx
  if ((sent.ordType === 'oco') !== (target !== undefined)) return no('51000', 'Parameter ordType error')
  if (target !== undefined && (sent.tpOrdPx !== '-1' || sent.tpTriggerPxType !== 'last')) {
    return no('51000', 'The stand-in takes targets at the last price only')
  }
  if (
    !['conditional', 'oco'].includes(sent.ordType ?? '') ||
    sent.slOrdPx !== '-1' ||
    sent.slTriggerPxType !== 'last'
  ) {
    return no('51000', 'The stand-in takes stops at the last price only')
  }
  if (!new Big(price).mod(tick).eq(0)) return no('51000', 'Parameter slTriggerPx error')
  if (!new Big(sz).mod(lots[market.instType]).eq(0) || !new Big(sz).gt(0)) {
    return no('51121', 'Order count should be the integer multiples of the lot size')
  }
  const isSpot = market.instType === 'SPOT'
  const wrongMode = isSpot ? refusedSpotMode(sent, book) : refusedFuturesMode(market, sent, book)
  if (wrongMode !== undefined) return no(...wrongMode)
  if (stops.find((one) => one.clientId === clientId) !== undefined) {
    return no('51065', 'algoClOrdId already exists.')
  }
  const isHedged = !isSpot && book.mode.position === 'hedge'
  const stop = {
    ...{
      clientId,
      symbol: market.symbol,
      price,
      size: isSpot ? sz : new Big(sz).times(contractSize).toFixed(),
    },
    side: side === 'buy' ? ('buy' as const) : ('sell' as const),
    reduceOnly: isHedged || String(sent.reduceOnly) === 'true',
    ...(isHedged && { positionSide: posSide === 'long' ? ('long' as const) : ('short' as const) }),
    ...(target !== undefined && { target }),
  }
  if (stops.isAtTarget(stop)) {
    return stop.side === 'sell'
      ? no('51279', 'TP trigger price can not be lower than the last price')
      : no('51277', 'TP trigger price can not be higher than the last price')
  }
  if (stops.isBeyond(stop)) {
    return stop.side === 'sell'
      ? no('51280', 'SL trigger price can not be higher than the last price')
      : no('51278', 'SL trigger price can not be lower than the last price')
  }
  if (!isSpot && !stops.hasToReduce(stop)) return no('51169', noPosition)
  const { id } = stops.add(stop)
  return success([{ algoClOrdId: clientId, algoId: id, clOrdId: '', sCode: '0', sMsg: '', tag: '' }])
}

function find(
  { algoClOrdId, algoId }: Sent,
  { markets }: Exchange<OkxMarket>,
  { book, stops }: { book: AccountBook; stops: StopBook },
): Reply {
  const stop = stops.find((one) => (algoId === undefined ? one.clientId === algoClOrdId : one.id === algoId))
  if (stop === undefined) return failure('51603', 'Order does not exist', 200)
  return success([told(stop, markets.find(({ symbol }) => symbol === stop.symbol)!, book)])
}

function cancel(sent: Sent[], { markets }: Exchange<OkxMarket>, stops: StopBook): Reply {
  const [{ algoClOrdId = '', instId } = {} as Sent] = sent
  const stop = stops.resting(algoClOrdId)
  if (stop === undefined || markets.find(({ id }) => id === instId)?.symbol !== stop.symbol) {
    return refused('', '51400', 'Order cancellation failed as the order does not exist.')
  }
  stops.cancel(stop)
  return success([{ algoClOrdId: '', algoId: stop.id, clOrdId: '', sCode: '0', sMsg: '', tag: '' }])
}

const states = { open: 'live', triggered: 'effective', canceled: 'canceled', rejected: 'order_failed' }

function told(stop: Stop, market: OkxMarket, book: AccountBook) {
  const { id, clientId, side, size, price, target = '', reduceOnly, positionSide, status, orderId, at } = stop
  const isTriggered = status === 'triggered'
  const isSpot = market.instType === 'SPOT'
  const amount = isSpot ? size : new Big(size).div(contractSize).toFixed()
  return {
    activePx: '',
    actualPx: '',
    actualSide: isTriggered ? (stop.isAtTarget === true ? 'tp' : 'sl') : '',
    actualSz: isTriggered ? amount : '0',
    algoClOrdId: clientId,
    algoId: id,
    amendPxOnTriggerType: '0',
    attachAlgoOrds: [],
    cTime: String(at),
    callbackRatio: '',
    callbackSpread: '',
    ccy: '',
    chaseType: '',
    chaseVal: '',
    clOrdId: '',
    closeFraction: '',
    failCode: status === 'rejected' ? (isSpot ? '51008' : '51169') : status === 'open' ? '0' : '',
    instId: market.id,
    instType: market.instType,
    isTradeBorrowMode: '',
    last: price,
    lever: '3',
    linkedOrd: { ordId: '' },
    maxChaseType: '',
    maxChaseVal: '',
    moveTriggerPx: '',
    ordId: orderId,
    ordIdList: orderId === '' ? [] : [orderId],
    ordPx: '',
    ordType: target === '' ? 'conditional' : 'oco',
    posSide: positionSide ?? 'net',
    pxLimit: '',
    pxSpread: '',
    pxVar: '',
    quickMgnType: '',
    reduceOnly: String(reduceOnly),
    side,
    slOrdPx: '-1',
    slTriggerPx: price,
    slTriggerPxType: 'last',
    state: states[status],
    sz: amount,
    szLimit: '',
    tag: '',
    tdMode: isSpot ? 'cash' : book.mode.margin,
    tgtCcy: '',
    timeInterval: '',
    tpOrdPx: target === '' ? '' : '-1',
    tpTriggerPx: target,
    tpTriggerPxType: target === '' ? '' : 'last',
    triggerPx: '',
    triggerPxType: '',
    triggerTime: isTriggered ? String(at) : '',
    tradeQuoteCcy: '',
    uTime: String(at),
  }
}
