import { createHmac } from 'node:crypto'
import type { Reply, RestCall, StandInMarket } from './stand-in.ts'
import { type AccountBook, answerOrFail, type FailureKind } from './trading.ts'

/** `category` is Bybit's name for a kind of market. */
export type BybitMarket = StandInMarket & {
  category: 'spot' | 'linear' | 'inverse'
  base: string
  quote: string
}

export type Clock = { now(): number }

/** The parameters of a request. */
export type Sent = Record<string, string>

export function parametersOf({ method, body, query }: RestCall): Sent {
  if (method !== 'POST') return Object.fromEntries(query)
  try {
    return JSON.parse(body) as Sent
  } catch {
    return {}
  }
}

export function success(clock: Clock, result: unknown): Reply {
  return { json: { retCode: 0, retMsg: 'OK', result, retExtInfo: {}, time: clock.now() } }
}

/** Bybit refuses with HTTP 200. Source of the codes: https://bybit-exchange.github.io/docs/v5/error */
export function failure(clock: Clock, retCode: number, retMsg: string): Reply {
  return { json: { retCode, retMsg, result: {}, retExtInfo: {}, time: clock.now() } }
}

/** Answers a signed request, or fails as the test has chosen. */
export function answerSigned(
  call: RestCall,
  clock: Clock,
  book: AccountBook,
  kind: FailureKind,
  answer: () => Reply,
): Reply {
  const checked = () => refuseSignature(call, clock, book, kind !== 'question') ?? answer()
  return answerOrFail(book, kind, checked, {
    broken: { status: 502, text: '<html>Bad Gateway</html>' },
    reject: failure(clock, 110066, 'No trading is allowed at the current time'),
    rateLimit: failure(clock, 10006, 'Too many visits!'),
    maintenance: failure(clock, 10016, 'System error. Please try again later.'),
  })
}

/** Source: https://bybit-exchange.github.io/docs/v5/guide, and `sign` in ccxt's bybit.js. */
function refuseSignature(
  { method, search, body, headers }: RestCall,
  clock: Clock,
  book: AccountBook,
  isOrder: boolean,
): Reply | undefined {
  const apiKey = String(headers['x-bapi-api-key'])
  const key = book.keys.get(apiKey)
  if (key === undefined) return failure(clock, 10003, 'API key is invalid.')
  const timestamp = String(headers['x-bapi-timestamp'])
  const window = String(headers['x-bapi-recv-window'])
  const at = Number(timestamp)
  if (!(at >= clock.now() - Number(window) && at < clock.now() + 1_000)) {
    const times = `req_timestamp[${timestamp}],server_timestamp[${clock.now()}],recv_window[${window}]`
    const text = 'invalid request, please check your server timestamp or recv_window param.'
    return failure(clock, 10002, `${text} ${times}`)
  }
  const signed = `${timestamp}${apiKey}${window}${method === 'POST' ? body : search}`
  const signature = createHmac('sha256', key.secret).update(signed).digest('hex')
  if (headers['x-bapi-sign'] !== signature) {
    return failure(clock, 10004, 'error sign! please check your signature generation algorithm.')
  }
  // ccxt would name itself as the broker.
  if (headers.referer !== undefined) return failure(clock, 10024, 'The stand-in accepts no broker.')
  return key.mayTrade === false && isOrder
    ? failure(clock, 10005, 'Permission denied, please check your API key permissions.')
    : undefined
}
