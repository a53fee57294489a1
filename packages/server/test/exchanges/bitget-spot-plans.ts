/**
 * Plan orders of Bitget's classic spot. The shapes are those of the pages "Place Plan Order", "Get Current Plan Orders",
 * "Get History Plan Orders", "Get Plan Sub Order" and "Cancel Plan Order". They lock no coins here, which is the harder
 * case: nothing but the service keeps a stop and a sale apart.
 */
import Big from 'big.js'
import { failure, marketOf, type Request, success, within } from './bitget-request.ts'
import type { Reply } from './stand-in.ts'
import type { Stop, StopBook } from './stops.ts'

const fields = new Set([
  ...['symbol', 'side', 'triggerPrice', 'triggerType', 'orderType', 'planType', 'size', 'clientOid'],
])

export function spotPlanAnswer(what: string, request: Request, stops: StopBook): (() => Reply) | undefined {
  const { clock, sent } = request
  switch (what) {
    case 'POST v2/spot/trade/place-plan-order':
      return () => place(request, stops)
    case 'GET v2/spot/trade/current-plan-order':
      return () => success(clock, list(request, stops, true))
    case 'GET v2/spot/trade/history-plan-order':
      return () => {
        const { startTime, endTime } = sent
        if (!(Number(endTime) - Number(startTime) <= 90 * 86_400_000)) {
          return failure(clock, '40017', 'Parameter verification failed: startTime, endTime')
        }
        return success(clock, list(request, stops, false))
      }
    case 'GET v2/spot/trade/plan-sub-order':
      return () => {
        const of = stops.find(({ id }) => id === sent.planOrderId)
        const made = { orderId: of?.orderId, price: '0', type: 'market', status: 'success' }
        return success(clock, of?.status === 'triggered' ? [made] : [])
      }
    case 'POST v2/spot/trade/cancel-plan-order':
      return () => {
        const resting = stops.resting(String(sent.clientOid))
        if (resting === undefined) return failure(clock, '43025', 'Plan order does not exist')
        stops.cancel(resting)
        return success(clock, { result: 'success' })
      }
    default:
      return undefined
  }
}

function place(request: Request, stops: StopBook): Reply {
  const { sent, clock } = request
  const no = (code: string, msg: string) => failure(clock, code, msg)
  stops.noteRequest(JSON.stringify(sent))
  const strange = Object.keys(sent).find((name) => !fields.has(name))
  if (strange !== undefined) return no('40019', `Parameter ${strange} is not known`)
  const market = marketOf(request, 'SPOT')
  if (market === undefined || market.active === false) return no('40034', 'Parameter does not exist')
  const { side, size = '0', triggerPrice: price = '0', clientOid: clientId = '' } = sent
  if (side !== 'buy' && side !== 'sell') return no('40020', 'Parameter side error')
  if (sent.orderType !== 'market' || sent.triggerType !== 'fill_price' || sent.planType !== 'amount')
    return no('40020', 'Parameter planType error')
  if (new Big(size).lte(0) || !new Big(size).mod('0.0001').eq(0))
    return no('40808', 'Parameter verification: size')
  if (stops.resting(clientId) !== undefined) return no('40786', 'Duplicate clientOid')
  const { id: orderId } = stops.add({ clientId, symbol: market.symbol, side, size, price, reduceOnly: false })
  return success(clock, { orderId, clientOid: clientId })
}

/** The latest first. */
function list(request: Request, stops: StopBook, isCurrent: boolean) {
  const { sent } = request
  const market = marketOf(request, 'SPOT')
  const isAsked = within(request)
  const rows = stops.control
    .all()
    .filter(({ symbol, status }) => symbol === market?.symbol && (status === 'open') === isCurrent)
    .filter(({ id, at }) => isAsked(at) && Number(id) < Number(sent.idLessThan ?? Number.MAX_SAFE_INTEGER))
    .toReversed()
  const page = rows.slice(0, Number(sent.limit ?? 20))
  return {
    nextFlag: rows.length > page.length,
    idLessThan: page.at(-1)?.id ?? '0',
    orderList: page.map((stop) => told(stop, market!.id)),
  }
}

const statuses = { open: 'live', triggered: 'executed', canceled: 'cancelled', rejected: 'fail_execute' }

function told({ id, clientId, size, price, side, status, at, changedAt }: Stop, symbol: string) {
  return {
    orderId: id,
    clientOid: clientId,
    symbol,
    size,
    executePrice: '0',
    triggerPrice: price,
    status: statuses[status],
    orderType: 'market',
    side,
    planType: 'amount',
    triggerType: 'fill_price',
    enterPointSource: 'API',
    cTime: String(at),
    uTime: String(changedAt),
  }
}
