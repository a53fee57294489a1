import { readTable, tableLine } from './table.ts'

/** `SIM` is the simulated market. It has its own type so that no list of places to trade contains it. */
export type ExchangeType = 'CEX' | 'DEX' | 'PREDICTION' | 'SIM'

/**
 * The permanent meaning of an id. `exchange` is a lower-case identifier: ccxt's, the one in `dexes.ts`, or `sim`.
 * `name` is the usual name.
 */
export type Registration = {
  id: number
  type: ExchangeType
  exchange: string
  service: string
  /** `null` except for a DEX. */
  chainId: string | null
  name: string
}

export type Unregistered = Omit<Registration, 'id'>

const columns = ['id', 'type', 'exchange', 'service', 'chainId', 'name'] as const
/** Lines are only ever appended: each stays, even if its exchange is gone. */
export const idsFile = new URL('./ids.csv', import.meta.url)

/** Other trading services use the ids below, too (docs/catalogue.md). */
export const firstFreeId = 100

export function readRegistrations(): Registration[] {
  return readTable(idsFile, columns).map((row) => ({
    id: Number(row.id),
    type: row.type as ExchangeType,
    exchange: row.exchange,
    service: row.service,
    chainId: row.chainId === '' ? null : row.chainId,
    name: row.name,
  }))
}

/** The line of the file for one registration. */
export function formatRegistration(registration: Registration): string {
  return tableLine(columns, {
    ...registration,
    id: String(registration.id),
    chainId: registration.chainId ?? '',
  })
}

/** A string that identifies what an id stands for. No two ids have the same key. */
export function registrationKey({ type, exchange, service, chainId }: Unregistered): string {
  return [type, exchange, service, chainId].join(':')
}

/**
 * The registrations to add so that each of `wanted` has an id. New ids follow the highest one ever assigned, so that
 * the id of an exchange that is gone is never used again.
 */
export function missingRegistrations(
  registered: readonly Registration[],
  wanted: readonly Unregistered[],
): Registration[] {
  const known = new Set(registered.map(registrationKey))
  const highest = Math.max(firstFreeId - 1, ...registered.map(({ id }) => id))
  return wanted
    .filter((candidate) => !known.has(registrationKey(candidate)))
    .map((candidate, index) => ({ id: highest + 1 + index, ...candidate }))
}
