import { type CcxtFact, readCcxtFacts } from './facts/ccxt.ts'
import { conditionalCredentials } from './facts/conditional-credentials.ts'
import { type Dex, dexes } from './facts/dexes.ts'
import { type Registration, readRegistrations, registrationKey, type Unregistered } from './facts/ids.ts'
import { rateExchanges } from './facts/rate-exchanges.ts'

/** An exchange as the software knows it; whether this installation uses it is decided in the database. */
export type Entry = Registration & {
  hasExchangeRate: boolean
  /** Whether an account there needs more than an API key and a secret. */
  extra: boolean
  /** What holds until an administrator says otherwise. */
  enabledByDefault: boolean
}

const withRates = new Set<string>(Object.values(rateExchanges).flat())

/** Whose prices are made here, so that code can be tried without any exchange. */
export const simulatedMarket: Unregistered = {
  type: 'SIM',
  exchange: 'sim',
  service: 'spot',
  chainId: null,
  name: 'Simulated market',
}

/**
 * Everything there is to list, in a fixed order: ccxt's exchanges, one for each service, then DEXes by chain, then
 * the simulated market.
 */
export function listable(facts: readonly CcxtFact[], decentralised: readonly Dex[]): Unregistered[] {
  return [
    ...facts.flatMap(({ type, exchange, name, services }) =>
      services.map((service) => ({ type, exchange, service, chainId: null, name })),
    ),
    ...decentralised.flatMap(({ exchange, name, chains }) =>
      chains.map((chainId) => ({ type: 'DEX' as const, exchange, service: 'spot', chainId, name })),
    ),
    simulatedMarket,
  ]
}

/**
 * The catalogue, in order of id. A registration whose exchange, service or chain is gone is left out; its id
 * stays taken.
 */
export function readEntries(): Entry[] {
  const facts = readCcxtFacts()
  const listed = new Set(listable(facts, dexes).map(registrationKey))
  const credentials = new Map(facts.map((fact) => [`${fact.type}:${fact.exchange}`, fact.credentials]))
  return readRegistrations()
    .filter((registration) => listed.has(registrationKey(registration)))
    .map((registration) => ({
      ...registration,
      hasExchangeRate: registration.type === 'CEX' && withRates.has(registration.exchange),
      extra: needsMore(
        registration.exchange,
        credentials.get(`${registration.type}:${registration.exchange}`) ?? [],
      ),
      // Prices and orders go through ccxt; nothing here talks to a chain, so that a DEX is there to be known
      // but is not in use.
      enabledByDefault: registration.type !== 'DEX',
    }))
    .sort((one, other) => one.id - other.id)
}

function needsMore(exchange: string, credentials: readonly string[]): boolean {
  return [...credentials, ...(conditionalCredentials[exchange] ?? [])].some(
    (credential) => credential !== 'apiKey' && credential !== 'secret',
  )
}
