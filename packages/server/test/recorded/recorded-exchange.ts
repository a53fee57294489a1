/** Answers recorded from real exchanges, served by HTTP on this machine. */
import { readFileSync } from 'node:fs'
import type { RestCall, StandIn } from '../exchanges/stand-in.ts'
import { startStandIn } from '../exchanges/stand-in.ts'

/** An answer of an exchange, with the requests that get it. */
export type Recording = {
  /** A regular expression for the whole path of the request. */
  path: string
  /** A text in the query or the body of the request. */
  containing?: string
  method?: 'GET' | 'POST'
  status?: number
  answer: unknown
}

/** A question to the service's reading of an account, what the exchange answers, and what the answer means. */
export type RecordedCase = {
  what: string
  /** Where the answer was published, if not in the file's `source`. */
  source?: string
  service: 'spot' | 'futures'
  /** The kind of account, if the exchange has several. */
  account?: string
  ask: 'trades' | 'positions' | 'balances' | 'openOrders' | 'funding' | 'lookUp' | 'place'
  symbol?: string
  /** The time of the question. */
  at: string
  /** How far back to ask, in days. Default: one hour. */
  days?: number
  /** For `lookUp` and `place`. */
  order?: { clientOrderId: string; side: 'buy' | 'sell'; size: string; reduceOnly?: boolean }
  /** For an order without any price in its answer. */
  price?: string
  answers: Recording[]
  /** The answer in the types of the service. */
  expected: unknown
  /** For `place`: fields of the request that the exchange gets, from its query and its body. */
  request?: Record<string, unknown>
}

export type RecordedExchange = {
  source: string
  /** The ccxt exchange of each service. */
  exchanges: { spot?: string; futures?: string }
  credentials: Record<string, string>
  /** The lists of markets, with only those markets that the answers concern. */
  markets: Recording[]
  /** What the exchange says about each kind of account. */
  accounts?: Record<string, Recording[]>
  cases: RecordedCase[]
}

export function readRecorded(name: string): RecordedExchange {
  return JSON.parse(readFileSync(new URL(`${name}.json`, import.meta.url), 'utf8'))
}

/**
 * Starts an exchange that only knows these answers. It answers any other request as an exchange answers a path that it
 * does not have.
 */
export async function startRecorded(
  recordings: readonly Recording[],
): Promise<StandIn & { requests: RestCall[] }> {
  const requests: RestCall[] = []
  const standIn = await startStandIn({
    markets: [],
    rateLimited: { status: 429 },
    rest: (call) => {
      requests.push(call)
      const found = recordings.find((recording) => isFor(recording, call))
      return found === undefined ? undefined : { status: found.status ?? 200, json: found.answer }
    },
    accepts: () => false,
    message: () => {},
    ticker: () => '',
  })
  return Object.assign(standIn, { requests })
}

export function isFor({ path, containing = '', method }: Recording, call: RestCall): boolean {
  if (method !== undefined && method !== call.method) return false
  const sent = `${decodeURIComponent(call.search)}\n${call.body}`
  return new RegExp(`^${path}$`).test(call.path) && sent.includes(containing)
}

/** The fields of a request, from its query and its JSON or form body. A list of orders has one order. */
export function fieldsOf({ search, body }: RestCall): Record<string, unknown> {
  const inQuery = Object.fromEntries(new URLSearchParams(search))
  const inBody = /^[[{]/.test(body)
    ? [JSON.parse(body)].flat()[0]
    : Object.fromEntries(new URLSearchParams(body))
  return { ...inQuery, ...inBody }
}
