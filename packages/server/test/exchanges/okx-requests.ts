import { createHmac } from 'node:crypto'
import type { Reply, RestCall, StandInMarket } from './stand-in.ts'
import { type AccountBook, answerOrFail, type FailureKind } from './trading.ts'

/** `instType` is OKX's name for a kind of market. */
export type OkxMarket = StandInMarket & { instType: 'SPOT' | 'SWAP'; base: string; quote: string }
export type Clock = { now(): number }

/** The parameters of a request. */
export type Sent = Record<string, string>

/** What a contract is worth, in base currency. Sizes of futures are in contracts. */
export const contractSize = '0.01'
/** The price step of all markets. */
export const tick = '0.1'
const requestLifeMs = 30_000

export function parametersOf({ method, body, query }: RestCall): Sent {
  if (method !== 'POST') return Object.fromEntries(query)
  try {
    return JSON.parse(body) as Sent
  } catch {
    return {}
  }
}

export function success(data: unknown[]): Reply {
  return { json: { code: '0', data, msg: '' } }
}

/** OKX refuses a request as a whole. Source of the codes: https://www.okx.com/docs-v5/en/#error-code */
export function failure(code: string, msg: string, status = 400): Reply {
  return { status, json: { code, data: [], msg } }
}

/** OKX refuses an order in the list of orders, with HTTP 200. Source: `handleErrors` in ccxt's okx.js. */
export function refusedOrder(clOrdId: string, sCode: string, sMsg: string): Reply {
  return { json: { code: '1', data: [{ clOrdId, ordId: '', sCode, sMsg, tag: '' }], msg: '' } }
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
    reject: refusedOrder('', '51022', 'Contract suspended'),
    rateLimit: failure('50011', 'Too Many Requests', 429),
    maintenance: failure('50001', 'Service temporarily unavailable. Try again later', 503),
  })
}

/** Source: https://www.okx.com/docs-v5/en/#overview-rest-authentication, and `sign` in ccxt's okx.js. */
function refuseSignature(
  { method, path, search, body, headers }: RestCall,
  clock: Clock,
  book: AccountBook,
  isOrder: boolean,
): Reply | undefined {
  const key = book.keys.get(String(headers['ok-access-key']))
  if (key === undefined) return failure('50111', 'Invalid OK-ACCESS-KEY', 401)
  const timestamp = String(headers['ok-access-timestamp'])
  if (!(Math.abs(clock.now() - Date.parse(timestamp)) <= requestLifeMs)) {
    return failure('50102', 'Timestamp request expired', 401)
  }
  if (headers['ok-access-passphrase'] !== key.password) {
    return failure('50105', 'Request header OK-ACCESS-PASSPHRASE incorrect.', 401)
  }
  const signed = `${timestamp}${method}${path}${search === '' ? '' : `?${search}`}${body}`
  const signature = createHmac('sha256', key.secret).update(signed).digest('base64')
  if (headers['ok-access-sign'] !== signature) return failure('50113', 'Invalid Sign', 401)
  const { mode } = book
  // Keys of demo accounts work only with this header, and others only without it.
  if ((headers['x-simulated-trading'] === '1') !== mode.account.startsWith('demo ')) {
    return failure('50101', 'APIKey does not match current environment.', 401)
  }
  return key.mayTrade === false && isOrder
    ? failure('50120', "This API key doesn't have permission to use this function", 401)
    : undefined
}

/** OKX's number of the account's mode, from `1`, `demo 2` or `3 borrowing`. */
export function accountLevel({ mode }: AccountBook): string {
  return mode.account.replace(/\D/g, '')
}

/** Source: https://github.com/NoFxAiOS/nofx/issues/1274 */
export const noPosition =
  "Order failed because you don't have any positions in this direction for this contract to reduce or close."

export type Words = [code: string, msg: string]

/** Why an order or a stop does not fit the modes of the account; `undefined` if it does. */
export function refusedFuturesMode(market: OkxMarket, sent: Sent, book: AccountBook): Words | undefined {
  const { tdMode, posSide = 'net' } = sent
  if (accountLevel(book) === '1') return ['51010', 'Request unsupported under current account mode']
  if (tdMode !== 'cross' && tdMode !== 'isolated') return ['51000', 'Parameter tdMode error']
  const isHedged = book.mode.position === 'hedge'
  if ((posSide === 'net') === isHedged) return ['51000', 'Parameter posSide error']
  // An order in another mode than the position does not reach it.
  const isHeld = book.positions().some(({ symbol }) => symbol === market.symbol)
  return isHeld && tdMode !== book.mode.margin ? ['51169', noPosition] : undefined
}

/** Source: the table of trade modes in https://www.okx.com/docs-v5/en/#overview-account-mode. */
export function refusedSpotMode(
  { tdMode, tgtCcy, side, ordType = 'market' }: Sent,
  book: AccountBook,
): Words | undefined {
  const isCross = ['3', '4'].includes(accountLevel(book))
  if (tdMode !== (isCross ? 'cross' : 'cash')) return ['51000', 'Parameter tdMode error']
  // The size of a market buy is in quote currency, unless the order says otherwise.
  return side === 'buy' && ordType === 'market' && tgtCcy !== 'base_ccy'
    ? ['51000', 'The stand-in takes sizes in base currency only']
    : undefined
}
