import { existsSync } from 'node:fs'
import type { MarketVenue } from '../price-source.ts'
import type { CcxtExchange } from './ccxt-types.ts'

export type CcxtClass = new (settings: Record<string, unknown>) => CcxtExchange

/** The exchanges as the npm package of the server has them. A clone has ccxt itself. */
const packed = new URL('../../../dist/ccxt/', import.meta.url)

/**
 * Loads the class of a single exchange: all of ccxt takes half a second and 100 MB. The package exports only its main
 * file, so this finds the class by its path relative to that file.
 * @throws if ccxt has no such exchange
 */
export async function loadCcxtClass(venue: MarketVenue): Promise<CcxtClass> {
  // The identifier becomes a file name.
  const id = /^[a-z0-9]+$/.test(venue.exchange) ? venue.exchange : '-'
  const folders = venue.service === 'prediction' ? ['prediction'] : ['pro', '.']
  const root = existsSync(packed) ? packed : new URL('./src/', import.meta.resolve('ccxt'))
  const files = folders.map((folder) => new URL(`./${folder}/${id}.js`, root))
  const file = files.find((candidate) => existsSync(candidate))
  if (file === undefined) throw new Error(`ccxt has no exchange "${venue.exchange}".`)
  const module = (await import(file.href)) as { default: CcxtClass }
  return module.default
}
