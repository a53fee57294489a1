import { type CcxtFact, readCcxtFacts } from '../../catalogue/facts/ccxt.ts'
import { rateExchanges } from '../../catalogue/facts/rate-exchanges.ts'
import type { Config } from '../../config.ts'
import type { CcxtClient, CcxtExchange } from './ccxt-types.ts'

type Endpoints = Config['exchangeEndpoints']
export type Endpoint = Endpoints[string]

/** Exchanges that the endpoint of another one covers, unless they have their own. */
const family: Record<string, string> = {
  binanceusdm: 'binance',
  binancecoinm: 'binance',
  krakenfutures: 'kraken',
  kucoinfutures: 'kucoin',
}

/**
 * The endpoint for a ccxt exchange. The setting names it by its id, its name in the catalogue or its member of
 * `$.Exchange`; if none of these is set, the endpoint of the exchange it belongs to counts. Case does not matter.
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

/** The keys of `EXCHANGE_ENDPOINTS` that name no exchange, probably because they are misspelt. */
export function unknownEndpoints(endpoints: Endpoints): string[] {
  const facts = readCcxtFacts()
  const known = new Set(facts.flatMap(({ exchange }) => keysOf(exchange, facts)))
  return Object.keys(endpoints).filter((key) => !known.has(normal(key)))
}

/** All names of an exchange, the most specific first. */
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
 * Redirects the traffic of an exchange to another origin: HTTP to `rest`, WebSocket to `ws`. Path and query stay the
 * same; without one of the two, its traffic is not redirected. The addresses change where connections are opened, not
 * in ccxt's tables: ccxt also builds addresses from parts, gets them from responses, and uses them to find the market of
 * a message. So its error messages still name the exchange's own address.
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
    // ccxt identifies the connection by the exchange's address, and connects to the `url` of this moment.
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
