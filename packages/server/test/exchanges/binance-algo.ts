/**
 * Algo orders of Binance USD-M futures: stops that rest at the exchange. The shapes are those of the pages "New Algo
 * Order", "Query Algo Order" and "Cancel Algo Order", the statuses those of "Event: Algo Order Update", and the codes
 * those of "Error Code".
 */
import Big from 'big.js'
import type { BinanceMarket } from './binance-account.ts'
import type { Exchange, Reply } from './stand-in.ts'
import type { Stop, StopBook } from './stops.ts'
import type { AccountBook } from './trading.ts'

export type AlgoAccount = { book: AccountBook; stops: StopBook }

const fields = new Set([
  ...['algoType', 'symbol', 'side', 'type', 'quantity', 'triggerPrice', 'workingType', 'reduceOnly'],
  ...['positionSide', 'clientAlgoId', 'timestamp', 'recvWindow', 'signature'],
])

export function algoAnswer(
  what: string,
  sent: URLSearchParams,
  { markets }: Exchange<BinanceMarket>,
  account: AlgoAccount,
): (() => Reply) | undefined {
  const linear = markets.filter(({ kind }) => kind === 'linear')
  switch (what) {
    case 'POST algoOrder':
      return () => place(sent, linear, account)
    case 'GET algoOrder':
      return () => find(sent, linear, account.stops)
    case 'DELETE algoOrder':
      return () => cancel(sent, account.stops)
    default:
      return undefined
  }
}

function place(
  sent: URLSearchParams,
  markets: readonly BinanceMarket[],
  { book, stops }: AlgoAccount,
): Reply {
  stops.noteRequest(
    sent
      .toString()
      .split('&')
      .filter((field) => !/^(timestamp|recvWindow|signature)=/.test(field))
      .join('&'),
  )
  const strange = [...sent.keys()].find((name) => !fields.has(name))
  if (strange !== undefined) return failure(-1104, `Not all sent parameters were read: ${strange}.`)
  const market = markets.find(({ id }) => id === sent.get('symbol'))
  if (market === undefined) return failure(-1121, 'Invalid symbol.')
  if (sent.get('algoType') !== 'CONDITIONAL') return failure(-1102, "Mandatory parameter 'algotype'.")
  if (sent.get('type') !== 'STOP_MARKET') return failure(-1116, 'Invalid orderType.')
  const price = sent.get('triggerPrice') ?? '0'
  if (!new Big(price).mod(tick).eq(0)) return failure(-4014, 'Price not increased by tick size.')
  const isHedge = book.mode.position === 'hedge'
  if (isHedge !== sent.has('positionSide')) {
    return failure(-4061, "Order's position side does not match user's setting.")
  }
  if (isHedge && sent.has('reduceOnly')) {
    return failure(-1106, "Parameter 'reduceonly' sent when not required.")
  }
  const clientId = sent.get('clientAlgoId') ?? ''
  if (stops.resting(clientId) !== undefined) return failure(-4116, 'ClientOrderId is duplicated.')
  const positionSide = { LONG: 'long', SHORT: 'short' }[sent.get('positionSide') ?? ''] as 'long' | 'short'
  const side = sent.get('side') === 'BUY' ? ('buy' as const) : ('sell' as const)
  const reduceOnly = isHedge || sent.get('reduceOnly') === 'true'
  const wanted = {
    clientId,
    symbol: market.symbol,
    side,
    price,
    size: sent.get('quantity') ?? '0',
    reduceOnly,
  }
  if (stops.isBeyond(wanted)) return failure(-2021, 'Order would immediately trigger.')
  if (!stops.hasToReduce(wanted)) return failure(-2022, 'ReduceOnly Order is rejected.')
  return { json: told(stops.add({ ...wanted, ...(isHedge && { positionSide }) }), market, stops) }
}

function find(sent: URLSearchParams, markets: readonly BinanceMarket[], stops: StopBook): Reply {
  const stop = stops.find((one) => one.clientId === sent.get('clientAlgoId'))
  if (stop === undefined) return failure(-2013, 'Order does not exist.')
  const market = markets.find(({ symbol }) => symbol === stop.symbol)!
  return { json: { ...told(stop, market, stops), actualOrderId: stop.orderId, actualPrice: '0.00000' } }
}

function cancel(sent: URLSearchParams, stops: StopBook): Reply {
  const stop = stops.resting(sent.get('clientAlgoId') ?? '')
  if (stop === undefined) return failure(-2011, 'Unknown order sent.')
  stop.status = 'canceled'
  const { id, clientId } = stop
  return { json: { algoId: Number(id), clientAlgoId: clientId, code: '200', msg: 'success' } }
}

const statuses = { open: 'NEW', triggered: 'TRIGGERED', canceled: 'CANCELED', rejected: 'REJECTED' }

function told(stop: Stop, market: BinanceMarket, stops: StopBook) {
  const order = stops.orderOf(stop)
  const isFinished = order !== undefined && order.status !== 'open'
  return {
    algoId: Number(stop.id),
    clientAlgoId: stop.clientId,
    algoType: 'CONDITIONAL',
    orderType: 'STOP_MARKET',
    symbol: market.id,
    side: stop.side.toUpperCase(),
    positionSide: (stop.positionSide ?? 'both').toUpperCase(),
    timeInForce: 'GTC',
    quantity: stop.size,
    algoStatus: isFinished ? 'FINISHED' : statuses[stop.status],
    triggerPrice: stop.price,
    price: '0.00',
    icebergQuantity: null,
    selfTradePreventionMode: 'EXPIRE_MAKER',
    workingType: 'CONTRACT_PRICE',
    priceMatch: 'NONE',
    closePosition: false,
    priceProtect: false,
    reduceOnly: stop.reduceOnly,
    createTime: stop.at,
    updateTime: stop.at,
    triggerTime: 0,
    goodTillDate: 0,
  }
}

const tick = '0.00000001'

function failure(code: number, msg: string, status = 400): Reply {
  return { status, json: { code, msg } }
}
