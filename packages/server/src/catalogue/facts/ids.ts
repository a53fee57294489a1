import { readTable, tableLine } from './table.ts'

/** `SIM` is the simulated market: nothing that lists places to trade takes it for one. */
export type ExchangeType = 'CEX' | 'DEX' | 'PREDICTION' | 'SIM'

/**
 * What an id stands for, for ever. `exchange` is a lower-case identifier: ccxt's, that of `dexes.ts`, or `sim`.
 * `name` is the one that people know it by.
 */
export type Registration = {
  id: number
  type: ExchangeType
  exchange: string
  service: string
  /** For a DEX, else `null`. */
  chainId: string | null
  name: string
}

export type Unregistered = Omit<Registration, 'id'>

const columns = ['id', 'type', 'exchange', 'service', 'chainId', 'name'] as const
/** Only ever appended to: a line that is there stays, whatever becomes of the exchange. */
export const idsFile = new URL('./ids.csv', import.meta.url)

/** Smaller ids are given: the field agrees on them (docs/catalogue.md). */
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

/** What is appended to the file for one registration. */
export function formatRegistration(registration: Registration): string {
  return tableLine(columns, {
    ...registration,
    id: String(registration.id),
    chainId: registration.chainId ?? '',
  })
}

/** One text for all that an id stands for; no two ids stand for the same. */
export function registrationKey({ type, exchange, service, chainId }: Unregistered): string {
  return [type, exchange, service, chainId].join(':')
}

/**
 * The registrations to add, so that each of `wanted` has an id: the next ones after the highest ever given out,
 * which keeps the id of an exchange that is gone from ever being used again.
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
