import { type CcxtFact, readCcxtFacts } from '../../catalogue/facts/ccxt.ts'
import { rateExchanges } from '../../catalogue/facts/rate-exchanges.ts'
import type { Config } from '../../config.ts'
import type { CcxtClient, CcxtExchange } from './ccxt-types.ts'

export type Endpoint = { rest?: string; ws?: string }
type Endpoints = Config['exchangeEndpoints']

/** Exchanges that an endpoint for another one covers, unless they have one of their own. */
const family: Record<string, string> = {
  binanceusdm: 'binance',
  binancecoinm: 'binance',
  krakenfutures: 'kraken',
  kucoinfutures: 'kucoin',
}

/**
 * The endpoint for a ccxt exchange: under its id, its name in the catalogue, its member of `$.Exchange`, or, if
 * none of those is set, that of the exchange it belongs to. Case does not matter.
 */
export function endpointFor(exchange: string, endpoints: Endpoints): Endpoint | undefined {
  const given = new Map(Object.entries(endpoints).map(([key, endpoint]) => [normal(key), endpoint]))
  if (given.size === 0) return undefined
  const facts = readCcxtFacts()
  for (const id of [exchange, family[exchange]]) {
    const name = id === undefined ? undefined : keysOf(id, facts).find((key) => given.has(key))
    if (name !== undefined) return given.get(name)
  }
  return undefined
}

/** The keys of `EXCHANGE_ENDPOINTS` that belong to no exchange: most likely misspelt. */
export function unknownEndpoints(endpoints: Endpoints): string[] {
  const facts = readCcxtFacts()
  const known = new Set(facts.flatMap(({ exchange }) => keysOf(exchange, facts)))
  return Object.keys(endpoints).filter((key) => !known.has(normal(key)))
}

/** From the most to the least specific. */
function keysOf(exchange: string, facts: readonly CcxtFact[]): string[] {
  const names = facts.filter((fact) => fact.exchange === exchange).map((fact) => fact.name)
  // A member of `$.Exchange` names its first exchange; the others are its family.
  const members = Object.entries(rateExchanges)
    .filter(([, exchanges]) => exchanges[0] === exchange)
    .map(([member]) => member)
  return [exchange, ...names, ...members].map(normal)
}

function normal(key: string): string {
  return key.trim().toLowerCase()
}

/**
 * Sends all that an exchange asks to another origin: HTTP to `rest`, WebSocket to `ws`; path and query stay. What
 * is missing stays as it is. The addresses are changed where connections are made, and not in ccxt's tables:
 * ccxt also puts addresses together from parts, gets them from answers, and tells by them which market a message
 * is about. Its error messages therefore name the address of the exchange itself.
 */
export function redirect(exchange: CcxtExchange, { rest, ws }: Endpoint): void {
  const fetch = exchange.fetchImplementation
  if (rest !== undefined && fetch !== undefined) {
    exchange.fetchImplementation = (url, request) => fetch(withOrigin(url, rest), request)
  }
  if (ws === undefined) return
  const client = exchange.client
  const redirected = new WeakSet<CcxtClient>()
  exchange.client = (url) => {
    const made = client.call(exchange, url)
    if (!redirected.has(made)) {
      redirected.add(made)
      connectElsewhere(made, ws)
    }
    return made
  }
}

function connectElsewhere(client: CcxtClient, origin: string): void {
  const connect = client.createConnection
  client.createConnection = () => {
    // ccxt knows the connection by the exchange's address, and dials what is there at the moment of dialling.
    const { url } = client
    client.url = withOrigin(url, origin)
    try {
      connect.call(client)
    } finally {
      client.url = url
    }
  }
}

function withOrigin(address: string, origin: string): string {
  const { pathname, search } = new URL(address)
  return `${origin}${pathname}${search}`
}
