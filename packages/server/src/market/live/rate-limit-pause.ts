import type { CcxtExchange } from './ccxt-types.ts'
import type { Pace } from './pace.ts'

/** How long an exchange that has just refused a request for its rate limit wants none, in ms. */
export function rateLimitPauseMs(exchange: CcxtExchange, pace: Pace): number {
  const headers = Object.entries(exchange.last_response_headers ?? {})
  const retryAfter = headers.find(([name]) => name.toLowerCase() === 'retry-after')?.[1]
  const askedForMs = retryAfter === undefined ? undefined : retryAfterMs(String(retryAfter))
  return Math.min(askedForMs ?? pace.rateLimitPauseMs, pace.maxRateLimitPauseMs)
}

/** The header holds seconds, or a date on the exchange's clock. */
function retryAfterMs(value: string): number | undefined {
  if (/^\d+(\.\d+)?$/.test(value.trim())) return Number(value) * 1000
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now())
}
