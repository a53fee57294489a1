/**
 * OCO orders on Binance's spot: a stop and a target for the same coins. The shapes are those of "New Order list - OCO
 * (TRADE)", and the refusals those of the page "Error codes".
 */
import Big from 'big.js'
import type { BinanceMarket } from './binance-account.ts'
import type { Reply } from './stand-in.ts'
import type { AccountBook } from './trading.ts'

function failure(code: number, msg: string): Reply {
  return { status: 400, json: { code, msg } }
}

export function ocoAnswer(market: BinanceMarket, sent: URLSearchParams, book: AccountBook): Reply {
  const side = sent.get('side') === 'BUY' ? ('buy' as const) : ('sell' as const)
  const [stopAt, targetAt] = side === 'sell' ? ['below', 'above'] : ['above', 'below']
  const of = (at: string, name: string) => sent.get(`${at}${name}`) ?? ''
  const size = sent.get('quantity') ?? '0'
  const [stopPrice, price] = [of(stopAt, 'StopPrice'), of(targetAt, 'StopPrice')]
  if (of(stopAt, 'Type') !== 'STOP_LOSS' || of(targetAt, 'Type') !== 'TAKE_PROFIT') {
    return failure(-1158, 'Order type not supported in OCO.')
  }
  if (market.active === false) return failure(-2010, 'Market is closed.')
  if (!(Number(stopPrice) > 0) || !(Number(price) > 0)) return failure(-1013, 'Filter failure: PRICE_FILTER')
  if (!new Big(size).gt(0) || !new Big(size).mod('0.00001').eq(0))
    return failure(-1013, 'Filter failure: LOT_SIZE')
  const ids = [of(stopAt, 'ClientOrderId'), of(targetAt, 'ClientOrderId')] as const
  if (ids.some((id) => book.openWith(id) !== undefined)) return failure(-2010, 'Duplicate order sent.')
  const stop = { clientOrderId: ids[0], side, size, reduceOnly: false, stopPrice }
  const placed = book.placePair({ ...market, isContract: false }, stop, { clientOrderId: ids[1], price })
  if (placed === 'beyond') {
    return failure(-2010, 'The relationship of the prices for the orders is not correct.')
  }
  if (typeof placed === 'string') {
    return failure(-2010, 'Account has insufficient balance for requested action.')
  }
  return {
    json: {
      orderListId: 1,
      contingencyType: 'OCO',
      listStatusType: 'EXEC_STARTED',
      listOrderStatus: 'EXECUTING',
      listClientOrderId: 'lH1YDkuQKWiXVXHPSKYEIp',
      transactionTime: placed[0].at,
      symbol: market.id,
      orders: placed.map(({ id, clientOrderId }) => ({
        symbol: market.id,
        orderId: Number(id),
        clientOrderId,
      })),
      orderReports: [],
    },
  }
}
