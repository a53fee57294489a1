import type { HttpRequest, HttpResponse, RunHost } from '@tickwright/sandbox'
import type { HttpCall } from '../db/schema.ts'
import type { ExchangeRates } from '../market/exchange-rates.ts'
import { traceOf } from './http-trace.ts'

/** What leads out of the service. `send` caches answers for each owner by itself. */
export type OutsideParts = {
  send(ownerId: number, request: HttpRequest, signal: AbortSignal): Promise<HttpResponse>
  rates: Pick<ExchangeRates, 'rate'>
  sign: RunHost['sign']
}

/** What a run reaches of the world outside; `httpCalls` fills with its calls of `$.Http`, in the order of their ends. */
export type Outside = Pick<RunHost, 'http' | 'rate' | 'sign'> & { readonly httpCalls: HttpCall[] }

/** @param env the variables of the run, whose values are kept out of its record */
export function outsideOf(parts: OutsideParts, ownerId: number, env: Record<string, string>): Outside {
  const httpCalls: HttpCall[] = []
  return {
    httpCalls,
    http: async (request, signal) => {
      const askedMs = performance.now()
      const response = await parts.send(ownerId, request, signal)
      httpCalls.push(traceOf(request, response, performance.now() - askedMs, env))
      return response
    },
    rate: (exchange, symbol) => parts.rates.rate(exchange, symbol),
    sign: parts.sign,
  }
}
