import { createHmac } from 'node:crypto'
import { classicAnswer } from './bitget-classic.ts'
import { planAnswer } from './bitget-plans.ts'
import { type BitgetMarket, type Clock, failure } from './bitget-request.ts'
import { spotPlanAnswer } from './bitget-spot-plans.ts'
import { unifiedAnswer } from './bitget-unified.ts'
import type { Reply, RestCall } from './stand-in.ts'
import type { StopBook } from './stops.ts'
import { type AccountBook, answerOrFail } from './trading.ts'

const requestLifeMs = 30_000

/**
 * The private requests of a Bitget account that bots need. A classic account has the API v2, a unified one the API v3;
 * the answers to the other API are those that users report for 40084 and 40085.
 */
export function privateRest(
  call: RestCall,
  markets: readonly BitgetMarket[],
  clock: Clock,
  book: AccountBook,
  stops: StopBook,
): Reply | undefined {
  const sent = call.method === 'POST' ? parsed(call.body) : Object.fromEntries(call.query)
  const what = `${call.method} ${call.path.replace('/api/', '')}`
  const request = { sent, markets, clock, book, key: String(call.headers['access-key']) }
  const answer =
    classicAnswer(what, request) ??
    planAnswer(what, request, stops) ??
    spotPlanAnswer(what, request, stops) ??
    unifiedAnswer(what, request)
  if (answer === undefined) return undefined
  const isUnified = book.mode.account === 'unified'
  const isV3 = what.includes(' v3/')
  const isOrder = /\/place-order$/.test(what)
  const checked = () => {
    const refused = refuseSignature(call, clock, book, isOrder)
    if (refused !== undefined) return refused
    if (isV3 && !isUnified)
      return failure(
        clock,
        '40084',
        'You are in Classic Account mode, and the Unified Account API is not supported at this time',
      )
    if (!isV3 && isUnified)
      return failure(
        clock,
        '40085',
        'You are in Unified Account mode, and the Classic Account API is not supported at this time',
      )
    return answer()
  }
  const isStop = /\/place-(tpsl|plan)-order$/.test(what)
  return answerOrFail(book, isStop ? 'stop' : isOrder ? 'order' : 'question', checked, {
    broken: { status: 502, text: '<html>Bad Gateway</html>' },
    reject: failure(clock, '22034', 'Trading of this symbol is suspended'),
    rateLimit: failure(clock, '429', 'Too many requests', 429),
    // 40200 is "Server upgrade, please try again later" in ccxt's table of errors.
    maintenance: failure(clock, '40200', 'Server upgrade, please try again later'),
  })
}

function parsed(body: string): Record<string, string> {
  try {
    return JSON.parse(body) as Record<string, string>
  } catch {
    return {}
  }
}

function refuseSignature(
  { method, path, search, body, headers }: RestCall,
  clock: Clock,
  book: AccountBook,
  isOrder: boolean,
): Reply | undefined {
  const key = book.keys.get(String(headers['access-key']))
  if (key === undefined) return failure(clock, '40006', 'Invalid ACCESS_KEY')
  const timestamp = String(headers['access-timestamp'])
  if (!(Math.abs(clock.now() - Number(timestamp)) <= requestLifeMs)) {
    return failure(clock, '40008', 'Request timestamp expired')
  }
  const query = search === '' ? '' : `?${decodeURIComponent(search)}`
  const signed = `${timestamp}${method}${path}${query}${body}`
  const signature = createHmac('sha256', key.secret).update(signed).digest('base64')
  if (headers['access-sign'] !== signature) return failure(clock, '40009', 'sign signature error')
  if (headers['access-passphrase'] !== key.password)
    return failure(clock, '40012', 'apikey/password is incorrect')
  // Demo keys need this header, and others refuse it. ccxt's table of errors has the code.
  if ((headers.paptrading === '1') !== (key.isDemo === true)) {
    return failure(clock, '40099', 'exchange environment is incorrect')
  }
  return key.mayTrade === false && isOrder
    ? failure(clock, '40014', 'Incorrect permissions, need spot trade write permissions')
    : undefined
}
