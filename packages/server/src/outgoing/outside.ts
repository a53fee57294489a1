import type { BotPosition, HttpRequest, HttpResponse, RunHost } from '@tickwright/sandbox'
import type { HttpCall } from '../db/schema.ts'
import type { MarketCandles } from '../market/candles/market-candles.ts'
import type { ExchangeRates } from '../market/exchange-rates.ts'
import { traceOf } from './http-trace.ts'

/** The functions that lead out of the service. `send` caches answers for each owner separately. */
export type OutsideParts = {
  send(ownerId: number, request: HttpRequest, signal: AbortSignal): Promise<HttpResponse>
  rates: Pick<ExchangeRates, 'rate'>
  candles: Pick<MarketCandles, 'forCode' | 'latest' | 'price'>
  sign: RunHost['sign']
  /** What the bots hold that follow a strategy. */
  positions(strategyId: number): Promise<BotPosition[]>
}

/** The outside functions of a run. `httpCalls` collects its calls of `$.Http`, in the order in which they ended. */
export type Outside = Pick<RunHost, 'http' | 'rate' | 'sign'> & { readonly httpCalls: HttpCall[] }

/** @param env the variables of the run, whose values must not appear in its record */
export function outsideOf(parts: OutsideParts, ownerId: number, env: Record<string, string>): Outside {
  const httpCalls: HttpCall[] = []
  return {
    httpCalls,
    http: async (request, signal) => {
      const askedMs = performance.now()
      const response = await parts.send(ownerId, request, signal)
      const call = traceOf(request, response, performance.now() - askedMs, env)
      httpCalls.push(call)
      return { ...response, address: call.url }
    },
    rate: (exchange, symbol) => parts.rates.rate(exchange, symbol),
    sign: parts.sign,
  }
}
