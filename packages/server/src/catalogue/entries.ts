import { type CcxtFact, readCcxtFacts } from './facts/ccxt.ts'
import { conditionalCredentials } from './facts/conditional-credentials.ts'
import { type Dex, dexes } from './facts/dexes.ts'
import { type Registration, readRegistrations, registrationKey, type Unregistered } from './facts/ids.ts'
import { rateExchanges } from './facts/rate-exchanges.ts'

/** An exchange that the service knows. The database says whether this installation uses it. */
export type Entry = Registration & {
  hasExchangeRate: boolean
  /** Whether it requires more credentials than an API key and a secret. */
  extra: boolean
  /** Applies until an administrator changes it. */
  enabledByDefault: boolean
}

const withRates = new Set<string>(Object.values(rateExchanges).flat())

/** The service generates its prices, so that users can try code without an exchange. */
export const simulatedMarket: Unregistered = {
  type: 'SIM',
  exchange: 'sim',
  service: 'spot',
  chainId: null,
  name: 'Simulated market',
}

/**
 * Everything that the catalogue can list, in a fixed order: ccxt's exchanges, one entry for each service; DEXes, one
 * entry for each chain; the simulated market.
 */
export function listable(facts: readonly CcxtFact[], dexList: readonly Dex[]): Unregistered[] {
  return [
    ...facts.flatMap(({ type, exchange, name, services }) =>
      services.map((service) => ({ type, exchange, service, chainId: null, name })),
    ),
    ...dexList.flatMap(({ exchange, name, chains }) =>
      chains.map((chainId) => ({ type: 'DEX' as const, exchange, service: 'spot', chainId, name })),
    ),
    simulatedMarket,
  ]
}

/**
 * The catalogue, in order of id. It omits registrations whose exchange, service or chain no longer exists; their ids
 * stay taken.
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
      extra: needsExtraCredentials(
        registration.exchange,
        credentials.get(`${registration.type}:${registration.exchange}`) ?? [],
      ),
      // Bots trade on these. There is no venue for DEXes and prediction markets yet.
      enabledByDefault: registration.type === 'CEX' || registration.type === 'SIM',
    }))
    .sort((one, other) => one.id - other.id)
}

function needsExtraCredentials(exchange: string, credentials: readonly string[]): boolean {
  return [...credentials, ...(conditionalCredentials[exchange] ?? [])].some(
    (credential) => credential !== 'apiKey' && credential !== 'secret',
  )
}
