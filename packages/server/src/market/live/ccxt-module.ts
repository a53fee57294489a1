import { existsSync } from 'node:fs'
import type { MarketVenue } from '../price-source.ts'
import type { CcxtExchange } from './ccxt-types.ts'

export type CcxtClass = new (settings: Record<string, unknown>) => CcxtExchange

/**
 * Loads the class of a single exchange: all of ccxt takes half a second and 100 MB. The package exports only its main
 * file, so this finds the class by its path relative to that file.
 * @throws if ccxt has no such exchange
 */
export async function loadCcxtClass(venue: MarketVenue): Promise<CcxtClass> {
  // The identifier becomes a file name.
  const id = /^[a-z0-9]+$/.test(venue.exchange) ? venue.exchange : '-'
  const folders = venue.service === 'prediction' ? ['prediction'] : ['pro', '.']
  const files = folders.map((folder) => new URL(`./src/${folder}/${id}.js`, import.meta.resolve('ccxt')))
  const file = files.find((candidate) => existsSync(candidate))
  if (file === undefined) throw new Error(`ccxt has no exchange "${venue.exchange}".`)
  const module = (await import(file.href)) as { default: CcxtClass }
  return module.default
}
