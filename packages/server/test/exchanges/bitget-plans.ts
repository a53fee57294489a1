/**
 * Stop-loss plans of Bitget's classic futures. The shapes are those of the pages "Stop-profit and stop-loss plan orders",
 * "Get Pending Trigger Order", "Get History Trigger Order" and "Cancel Trigger Order".
 */
import Big from 'big.js'
import { failure, marketOf, type Request, success } from './bitget-request.ts'
import type { Reply } from './stand-in.ts'
import type { Stop, StopBook } from './stops.ts'

const fields = new Set([
  ...['marginCoin', 'productType', 'symbol', 'planType', 'triggerPrice', 'triggerType', 'executePrice'],
  ...['holdSide', 'size', 'clientOid'],
])

export function planAnswer(what: string, request: Request, stops: StopBook): (() => Reply) | undefined {
  const { clock } = request
  switch (what) {
    case 'POST v2/mix/order/place-tpsl-order':
      return () => place(request, stops)
    case 'GET v2/mix/order/orders-plan-pending':
      return () => success(clock, list(request, stops, true))
    case 'GET v2/mix/order/orders-plan-history':
      return () => success(clock, list(request, stops, false))
    case 'POST v2/mix/order/cancel-plan-order':
      return () => cancel(request, stops)
    default:
      return undefined
  }
}

function place(request: Request, stops: StopBook): Reply {
  const { sent, clock, book } = request
  const no = (code: string, msg: string) => failure(clock, code, msg)
  stops.noteRequest(JSON.stringify(sent))
  const strange = Object.keys(sent).find((name) => !fields.has(name))
  if (strange !== undefined) return no('40019', `Parameter ${strange} is not known`)
  const product = String(sent.productType)
  const market = marketOf(request, product)
  if (market === undefined || sent.marginCoin !== market.quote) return no('40034', 'Parameter does not exist')
  if (sent.planType !== 'loss_plan' || sent.triggerType !== 'fill_price' || sent.executePrice !== '0')
    return no('40020', 'Parameter planType error')
  const isHedged = book.mode.position === 'hedge'
  const held = (isHedged ? ['long', 'short'] : ['buy', 'sell']).indexOf(sent.holdSide ?? '')
  if (held === -1) return no('40020', 'Parameter holdSide error')
  const positionSide = held === 0 ? 'long' : 'short'
  const { size = '0', triggerPrice: price = '0', clientOid: clientId = '' } = sent
  if (new Big(size).lte(0) || !new Big(size).mod('0.001').eq(0))
    return no('40808', 'Parameter verification: size')
  const stop = {
    ...{ clientId, symbol: market.symbol, side: held === 0 ? ('sell' as const) : ('buy' as const) },
    ...{ size, price, reduceOnly: true, ...(isHedged && ({ positionSide } as const)) },
  }
  if (!stops.hasToReduce(stop)) return no('43023', 'Insufficient position, can not set profit or stop loss')
  // Both are in ccxt's table of errors.
  if (stops.isBeyond(stop)) {
    return held === 0
      ? no('40917', `Stop price for long positions please < mark price ${book.price(market.symbol)}`)
      : no('45122', `Short position stop loss price please > mark price ${book.price(market.symbol)}`)
  }
  if (stops.resting(clientId) !== undefined) return no('40786', 'Duplicate clientOid')
  const { id: orderId } = stops.add(stop)
  return success(clock, { orderId, clientOid: clientId })
}

function list({ sent, markets }: Request, stops: StopBook, isPending: boolean) {
  if (sent.planType !== 'profit_loss') return { entrustedList: null, endId: null }
  const found = stops.find(({ clientId }) => clientId === sent.clientOid)
  if (found === undefined || (found.status === 'open') !== isPending) {
    return { entrustedList: isPending ? null : [], endId: null }
  }
  const id = markets.find(({ symbol }) => symbol === found.symbol)?.id
  return { entrustedList: [told(found, String(id), isPending)], endId: found.id }
}

const statuses = { open: 'live', triggered: 'executed', canceled: 'cancelled', rejected: 'fail_trigger' }

function told(stop: Stop, symbol: string, isPending: boolean) {
  const { id: orderId, clientId: clientOid, size, price: triggerPrice, side, positionSide, at } = stop
  return {
    planType: 'loss_plan',
    symbol,
    size,
    orderId,
    ...(isPending ? {} : { executeOrderId: stop.orderId }),
    clientOid,
    price: '0',
    executePrice: '0',
    callbackRatio: '',
    triggerPrice,
    triggerType: 'fill_price',
    planStatus: statuses[stop.status],
    side,
    posSide: positionSide ?? 'net',
    marginCoin: 'USDT',
    marginMode: 'crossed',
    enterPointSource: 'API',
    tradeSide: 'close',
    posMode: positionSide === undefined ? 'one_way_mode' : 'hedge_mode',
    orderType: 'market',
    cTime: String(at),
    uTime: String(at),
  }
}

type Cancelled = { orderIdList?: { clientOid?: string }[]; planType?: string }

function cancel({ sent, clock }: Request, stops: StopBook): Reply {
  const { orderIdList, planType } = sent as unknown as Cancelled
  // The exchange would cancel everything.
  if (orderIdList === undefined) return failure(clock, '40034', 'This would cancel every plan order')
  if (planType !== 'loss_plan') return failure(clock, '40020', 'Parameter planType error')
  const ids = orderIdList.map(({ clientOid = '' }) => clientOid)
  const resting = ids.filter((id) => stops.resting(id) !== undefined)
  for (const id of resting) stops.control.cancel(id)
  const asRow = (clientOid: string) => ({ orderId: '', clientOid })
  return success(clock, {
    successList: resting.map(asRow),
    failureList: ids
      .filter((id) => !resting.includes(id))
      .map((id) => ({ ...asRow(id), errorMsg: 'The order does not exist' })),
  })
}
