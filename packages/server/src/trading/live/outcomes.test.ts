import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  startBinance,
  startBybit,
  startHyperliquid,
  startKraken,
  startOkx,
} from '../../../test/exchanges/index.ts'
import type { OrderRequest } from '../types.ts'
import { LiveVenue } from './live-venue.ts'

/** Answers of the exchanges to an order, and whether they prove that it was not accepted. */

type Outcome = 'refused' | 'busy' | 'unknown'
type ExchangeAnswer = [status: number, body: string, outcome: Outcome]

const binance = (code: number, msg: string) => JSON.stringify({ code, msg })
const kraken = (error: string) => JSON.stringify({ error: [error] })
const futures = (status: string) =>
  JSON.stringify({ result: 'success', sendStatus: { status, receivedTime: '2026-01-01T00:00:00.000Z' } })

/** Some refusals contain the order that was not placed, with an id. */
const rejectedBy = (status: string) => {
  const order = {
    orderId: '61ca5732-3478-42fe-8362-abbfd9465294',
    type: 'ioc',
    symbol: 'PF_XBTUSD',
    side: 'buy',
  }
  const orderEvents = [{ type: 'REJECT', uid: order.orderId, reason: status, order }]
  const receivedTime = '2026-01-01T00:00:00.000Z'
  const sendStatus = { order_id: order.orderId, status, receivedTime, orderEvents }
  return JSON.stringify({ result: 'success', sendStatus })
}
const hyperliquid = (statuses: object[]) =>
  JSON.stringify({ status: 'ok', response: { type: 'order', data: { statuses } } })
const refusedBy = (response: string) => JSON.stringify({ status: 'err', response })

const binanceAnswers: ExchangeAnswer[] = [
  [400, binance(-1000, 'An unknown error occurred while processing the request.'), 'unknown'],
  [400, binance(-1001, 'Internal error; unable to process your request. Please try again.'), 'unknown'],
  [
    400,
    binance(-1006, 'An unexpected response was received from the message bus. Execution status unknown.'),
    'unknown',
  ],
  [
    400,
    binance(
      -1007,
      'Timeout waiting for response from backend server. Send status unknown; execution status unknown.',
    ),
    'unknown',
  ],
  [408, binance(-1007, 'Timeout waiting for response from backend server.'), 'unknown'],
  [503, binance(-1008, 'Server is currently overloaded with other requests.'), 'unknown'],
  [503, 'Service Unavailable', 'unknown'],
  [500, '', 'unknown'],
  [504, '<html>Gateway Timeout</html>', 'unknown'],
  [200, '', 'unknown'],
  [200, '{}', 'unknown'],
  [200, '[]', 'unknown'],
  [200, '{"orderId":', 'unknown'],
  [404, '<html>Not Found</html>', 'unknown'],
  [302, '', 'unknown'],
  [429, binance(-1003, 'Too much request weight used.'), 'busy'],
  [429, binance(-1015, 'Too many new orders; current limit is 50 orders per TEN_SECONDS.'), 'busy'],
  [418, binance(-1003, 'Way too much request weight used; IP banned until 1700000000000.'), 'busy'],
  [400, binance(-1021, 'Timestamp for this request is outside of the recvWindow.'), 'busy'],
  [400, binance(-1022, 'Signature for this request is not valid.'), 'refused'],
  [401, binance(-2014, 'API-key format invalid.'), 'refused'],
  [401, binance(-2015, 'Invalid API-key, IP, or permissions for action.'), 'refused'],
  [400, binance(-1013, 'Filter failure: LOT_SIZE'), 'refused'],
  [400, binance(-1013, 'Filter failure: NOTIONAL'), 'refused'],
  [400, binance(-1111, 'Precision is over the maximum defined for this asset.'), 'refused'],
  [400, binance(-1121, 'Invalid symbol.'), 'refused'],
  [400, binance(-2010, 'Account has insufficient balance for requested action.'), 'refused'],
  [400, binance(-2010, 'Market is closed.'), 'refused'],
  // The id is in use, so the order is looked up, and it is not there.
  [400, binance(-2010, 'Duplicate order sent.'), 'unknown'],
  [400, binance(-1010, 'ERROR_MSG_RECEIVED.'), 'refused'],
  [400, binance(-1013, 'Filter failure: PERCENT_PRICE_BY_SIDE'), 'refused'],
  [400, binance(-1013, 'Market is closed.'), 'refused'],
  [400, binance(-2010, 'This action is disabled on this account.'), 'refused'],
  [400, binance(-9999, 'Something that nobody has heard of.'), 'refused'],
]

const binanceFuturesAnswers: ExchangeAnswer[] = [
  [400, binance(-1007, 'Timeout waiting for response from backend server.'), 'unknown'],
  [503, binance(-1008, 'Request throttled by system-level protection.'), 'unknown'],
  [400, binance(-2019, 'Margin is insufficient.'), 'refused'],
  [400, binance(-2022, 'ReduceOnly Order is rejected.'), 'refused'],
  // The account's mode was changed. It is read again, and the order sent again.
  [400, binance(-4061, "Order's position side does not match user's setting."), 'busy'],
  [
    400,
    binance(-4164, "Order's notional must be no smaller than 5 (unless you choose reduce only)."),
    'refused',
  ],
  [400, binance(-4116, 'ClientOrderId is duplicated.'), 'unknown'],
  [400, binance(-1112, 'No orders on book for symbol.'), 'refused'],
  [400, binance(-2020, 'Unable to fill.'), 'refused'],
  [400, binance(-2023, 'User in liquidation mode now.'), 'refused'],
  [400, binance(-4016, "Limit price can't be higher than 66000."), 'refused'],
  [400, binance(-4024, "Limit price can't be lower than 54000."), 'refused'],
  [400, binance(-4086, 'Invalid price spread threshold.'), 'refused'],
  [
    400,
    binance(-4131, "The counterparty's best price does not meet the PERCENT_PRICE filter limit."),
    'refused',
  ],
  [400, binance(-4192, 'Trade forbidden due to Cooling-off Period.'), 'refused'],
  [
    400,
    binance(-5041, 'Time out for too many requests from this account queueing at the same time.'),
    'unknown',
  ],
]

const krakenAnswers: ExchangeAnswer[] = [
  [200, kraken('EService:Unavailable'), 'unknown'],
  [200, kraken('EService:Busy'), 'unknown'],
  [200, kraken('EService:Timeout'), 'unknown'],
  [200, kraken('EService:Deadline elapsed'), 'unknown'],
  [200, kraken('EService:Market in cancel_only mode'), 'refused'],
  [200, kraken('EService:Market in limit_only mode'), 'refused'],
  [200, kraken('EService:Market in post_only mode'), 'refused'],
  [200, kraken('EAuth:Account temporary disabled'), 'refused'],
  [200, kraken('EBM:limit exceeded:CAL'), 'refused'],
  [200, kraken('EGeneral:Internal error'), 'unknown'],
  [520, 'Web server is returning an unknown error', 'unknown'],
  [200, '', 'unknown'],
  [200, '{"error":[],"result":{}}', 'unknown'],
  [200, kraken('EAPI:Rate limit exceeded'), 'busy'],
  [200, kraken('EOrder:Rate limit exceeded'), 'busy'],
  [200, kraken('EService: Throttled: 1790000000'), 'busy'],
  [200, kraken('EOrder:Insufficient funds'), 'refused'],
  [200, kraken('EOrder:Order minimum not met'), 'refused'],
  [200, kraken('EOrder:Something new'), 'refused'],
  [200, kraken('EAPI:Invalid key'), 'refused'],
  [200, kraken('EAPI:Invalid nonce'), 'busy'],
  [200, kraken('EGeneral:Permission denied'), 'refused'],
  [200, kraken('EGeneral:Invalid arguments:volume'), 'refused'],
  [200, kraken('EQuery:Unknown asset pair'), 'refused'],
]

const krakenFuturesAnswers: ExchangeAnswer[] = [
  [200, futures('insufficientAvailableFunds'), 'refused'],
  [200, futures('invalidSize'), 'refused'],
  [200, futures('wouldNotReducePosition'), 'refused'],
  [200, futures('tooManySmallOrders'), 'refused'],
  [200, futures('maxPositionViolation'), 'refused'],
  [200, futures('marketSuspended'), 'refused'],
  [200, futures('marketInactive'), 'refused'],
  [200, futures('outsidePriceCollar'), 'refused'],
  [200, futures('iocWouldNotExecute'), 'refused'],
  [200, futures('clientOrderIdAlreadyExist'), 'unknown'],
  [200, futures('wouldCauseLiquidation'), 'refused'],
  [200, futures('tooManyOrders'), 'refused'],
  [200, rejectedBy('wouldIncreasePriceDislocation'), 'refused'],
  [200, futures('aWordThatNobodyKnows'), 'unknown'],
  [200, '{"result":"error","error":"accountInactive"}', 'refused'],
  [200, '{"result":"error","error":"Unavailable"}', 'unknown'],
  [200, '{"result":"error","error":"Server Error"}', 'unknown'],
  [200, '{"result":"error","error":"apiLimitExceeded"}', 'busy'],
  [200, '{"result":"error","error":"authenticationError"}', 'refused'],
  [200, '{"result":"success"}', 'unknown'],
  [503, 'Service Unavailable', 'unknown'],
]

// The errors of the API's page "Error responses", and refusals seen by users of ccxt and of Hyperliquid's own clients.
const hyperliquidAnswers: ExchangeAnswer[] = [
  ...[
    'Order price too far from oracle',
    'Reduce only order would increase position. asset=0',
    'No liquidity available for market order.',
    'Order would increase open interest while open interest is capped',
    'Insufficient margin to place order. asset=0',
    'Trading is halted. asset=0',
  ].map((error): ExchangeAnswer => [200, hyperliquid([{ error }]), 'refused']),
  [200, refusedBy('User or API Wallet 0x33 does not exist.'), 'refused'],
  [200, refusedBy('Must deposit before performing actions. User: 0x33'), 'refused'],
  [200, refusedBy('Too many cumulative requests sent (37986 > 10436).'), 'busy'],
  [200, refusedBy('Invalid nonce: 1788895523507 is too low'), 'busy'],
  [200, refusedBy('Invalid nonce: duplicate nonce 1788895523507'), 'unknown'],
  [422, 'Failed to deserialize the JSON body into the target type', 'refused'],
  [200, hyperliquid([]), 'unknown'],
  [200, 'null', 'unknown'],
  [429, 'null', 'busy'],
  [500, 'Internal Server Error', 'unknown'],
  [502, '<html>502 Bad Gateway</html>', 'unknown'],
]

/** Source of the codes: https://bybit-exchange.github.io/docs/v5/error */
const bybit = (retCode: number, retMsg: string) =>
  JSON.stringify({ retCode, retMsg, result: {}, retExtInfo: {}, time: 1_700_000_000_000 })

const bybitAnswers: ExchangeAnswer[] = [
  [200, bybit(10000, 'Server Timeout'), 'unknown'],
  [200, bybit(10016, 'System error. Please try again later.'), 'unknown'],
  [200, bybit(170146, 'Order creation timeout'), 'unknown'],
  [200, bybit(170007, 'Timeout waiting for response from backend server.'), 'unknown'],
  [200, bybit(110072, 'OrderLinkedID is duplicate'), 'unknown'],
  [200, '<html>Just a moment</html>', 'unknown'],
  [200, '{}', 'unknown'],
  [200, '{"retCode":0,"retMsg":"OK","result":{}}', 'unknown'],
  [403, '<html>access too frequent</html>', 'busy'],
  [502, 'Bad Gateway', 'unknown'],
  [200, bybit(10006, 'Too many visits!'), 'busy'],
  [200, bybit(10018, 'Exceeded the IP Rate Limit.'), 'busy'],
  [200, bybit(10002, 'invalid request, please check your server timestamp or recv_window param.'), 'busy'],
  [200, bybit(10003, 'API key is invalid.'), 'refused'],
  [200, bybit(10004, 'error sign! please check your signature generation algorithm.'), 'refused'],
  [200, bybit(10005, 'Permission denied, please check your API key permissions.'), 'refused'],
  [200, bybit(10001, 'position idx not match position mode'), 'busy'],
  [200, bybit(10001, 'Qty invalid'), 'refused'],
  [200, bybit(110007, 'ab not enough for new order'), 'refused'],
  [200, bybit(110017, 'current position is zero, cannot fix reduce-only order qty'), 'refused'],
  [200, bybit(110066, 'No trading is allowed at the current time'), 'refused'],
  [200, bybit(170131, 'Insufficient balance.'), 'refused'],
  [200, bybit(999999, 'Something that nobody has heard of.'), 'refused'],
]

/** Source of the codes: https://www.okx.com/docs-v5/en/#error-code */
const okx = (code: string, msg: string) => JSON.stringify({ code, data: [], msg })
/** A refused order. Source: `handleErrors` in ccxt's okx.js. */
const okxOrder = (sCode: string, sMsg: string) =>
  JSON.stringify({ code: '1', data: [{ clOrdId: '', ordId: '', sCode, sMsg, tag: '' }], msg: '' })

const okxAnswers: ExchangeAnswer[] = [
  [503, okx('50001', 'Service temporarily unavailable. Try again later'), 'unknown'],
  [200, okx('50001', 'Service temporarily unavailable. Try again later'), 'unknown'],
  [400, okx('50004', 'API endpoint request timeout, please check the request status'), 'unknown'],
  [200, okx('50013', 'Systems are busy. Please try again later.'), 'unknown'],
  [200, okx('50026', 'System error. Try again later'), 'unknown'],
  [200, okxOrder('51054', 'Request timed out. Please try again.'), 'unknown'],
  [200, okxOrder('51016', 'Client order ID already exists.'), 'unknown'],
  [200, '<html>Just a moment</html>', 'unknown'],
  [200, '{}', 'unknown'],
  [200, '{"code":"0","data":[],"msg":""}', 'unknown'],
  [502, 'Bad Gateway', 'unknown'],
  [429, okx('50011', 'Too Many Requests'), 'busy'],
  [429, '', 'busy'],
  [200, okxOrder('50061', 'Sub-account rate limit exceeded.'), 'busy'],
  [401, okx('50102', 'Timestamp request expired'), 'busy'],
  [401, okx('50111', 'Invalid OK-ACCESS-KEY'), 'refused'],
  [401, okx('50113', 'Invalid Sign'), 'refused'],
  [401, okx('50120', "This API key doesn't have permission to use this function"), 'refused'],
  [200, okxOrder('51000', 'Parameter posSide error'), 'busy'],
  [200, okxOrder('51000', 'Parameter sz error'), 'refused'],
  [200, okxOrder('51008', 'Order failed. Insufficient USDT balance in account'), 'refused'],
  [200, okxOrder('51169', "Order failed because you don't have any positions to close."), 'refused'],
  [200, okxOrder('51136', 'Your closing price has triggered the limit price.'), 'refused'],
  [200, okxOrder('59999', 'Something that nobody has heard of.'), 'refused'],
]

const tables = [
  { start: startOkx, exchange: 'okx', service: 'spot', symbol: 'BTC/USDT', answers: okxAnswers },
  { start: startBybit, exchange: 'bybit', service: 'spot', symbol: 'BTC/USDT', answers: bybitAnswers },
  { start: startBinance, exchange: 'binance', service: 'spot', symbol: 'BTC/USDT', answers: binanceAnswers },
  {
    start: startBinance,
    exchange: 'binance',
    service: 'futures',
    symbol: 'BTC/USDT:USDT',
    answers: binanceFuturesAnswers,
  },
  { start: startKraken, exchange: 'kraken', service: 'spot', symbol: 'BTC/USD', answers: krakenAnswers },
  {
    start: startKraken,
    exchange: 'krakenfutures',
    service: 'futures',
    symbol: 'BTC/USD:USD',
    answers: krakenFuturesAnswers,
  },
  {
    start: startHyperliquid,
    exchange: 'hyperliquid',
    service: 'futures',
    symbol: 'BTC/USDC:USDC',
    answers: hyperliquidAnswers,
  },
]

for (const { start, exchange, service, symbol, answers } of tables) {
  test(`${exchange} ${service}: an order counts as refused only if the answer proves it`, async () => {
    await using standIn = await start()
    const venue = new LiveVenue({
      venue: { exchange, service },
      credentials: standIn.trading.credentials,
      endpoints: { [exchange]: standIn.endpoints },
      price: async (of) => standIn.price(of),
    })
    await venue.rules(symbol)
    for (const [i, [status, body, expected]] of answers.entries()) {
      standIn.failRest({ status, body }, /order|exchange$/i)
      const order = { symbol, side: 'buy', purpose: 'open', reduceOnly: false, size: '0.01' } as const
      const request: OrderRequest = { ...order, clientOrderId: `tw-${i}-o` }
      const outcome = await venue.place(request)
      assert.equal(outcome.status, expected, `${status} ${body}: ${JSON.stringify(outcome)}`)
      assert.ok('reason' in outcome && /^[A-Z].*\.$/.test(outcome.reason), JSON.stringify(outcome))
    }
    assert.deepEqual(standIn.trading.orders(), [])
    await venue.close()
  })
}

const words: [(typeof tables)[number]['exchange'], status: number, body: string, reason: string][] = [
  [
    'binance',
    400,
    binance(-2010, 'This action is disabled on this account.'),
    'The exchange does not allow the account to do this: This action is disabled on this account.',
  ],
  [
    'binance',
    401,
    binance(-2015, 'Invalid API-key, IP, or permissions for action.'),
    'The exchange does not know the key, or the key does not allow this request or this IP address: Invalid API-key, IP, or permissions for action.',
  ],
  [
    'binance',
    400,
    binance(-1013, 'Filter failure: LOT_SIZE'),
    'The exchange refused the order: Filter failure: LOT_SIZE.',
  ],
  [
    'kraken',
    200,
    kraken('EService:Market in cancel_only mode'),
    'The exchange refused the order: EService:Market in cancel_only mode.',
  ],
  ['krakenfutures', 200, futures('marketSuspended'), 'The exchange refused the order: marketSuspended.'],
  [
    'hyperliquid',
    422,
    'Failed to deserialize the JSON body into the target type',
    'The exchange refused the order: Failed to deserialize the JSON body into the target type.',
  ],
  [
    'hyperliquid',
    200,
    refusedBy('User or API Wallet 0x33 does not exist.'),
    'The exchange refused the order: User or API Wallet 0x33 does not exist.',
  ],
  [
    'hyperliquid',
    200,
    hyperliquid([{ error: 'Order price too far from oracle' }]),
    'The exchange refused the order: Order price too far from oracle.',
  ],
]

test('the reason of a refusal says what it is, in the words of the exchange', async () => {
  for (const [exchange, status, body, reason] of words) {
    const { start, service, symbol } = tables.find((table) => table.exchange === exchange)!
    await using standIn = await start()
    const venue = new LiveVenue({
      venue: { exchange, service },
      credentials: standIn.trading.credentials,
      endpoints: { [exchange]: standIn.endpoints },
      price: async (of) => standIn.price(of),
    })
    await venue.rules(symbol)
    standIn.failRest({ status, body }, /order|exchange$/i)
    const order = { symbol, side: 'buy', purpose: 'open', reduceOnly: false, size: '0.01' } as const
    assert.deepEqual(await venue.place({ ...order, clientOrderId: 'tw-1-o' }), { status: 'refused', reason })
    await venue.close()
  }
})

test('an order for an unreachable exchange is unknown, not refused', async () => {
  await using standIn = await startBinance()
  const venue = new LiveVenue({
    venue: { exchange: 'binance', service: 'spot' },
    credentials: standIn.trading.credentials,
    endpoints: { binance: standIn.endpoints },
    price: async () => '1',
  })
  await venue.rules('BTC/USDT')
  await standIn[Symbol.asyncDispose]()
  const order = { symbol: 'BTC/USDT', side: 'buy', purpose: 'open', reduceOnly: false, size: '0.01' } as const
  const outcome = await venue.place({ ...order, clientOrderId: 'tw-1-o' })
  assert.ok(outcome.status === 'unknown', JSON.stringify(outcome))
  assert.match(outcome.reason, /the connection failed/)
  await venue.close()
  assert.equal((await venue.place({ ...order, clientOrderId: 'tw-2-o' })).status, 'unknown')
})
