import { existsSync } from 'node:fs'
import type { MarketVenue } from '../price-source.ts'
import type { CcxtExchange } from './ccxt-types.ts'

export type CcxtClass = new (settings: Record<string, unknown>) => CcxtExchange

/**
 * The class of one exchange alone: all of ccxt takes half a second and 100 MB. Its package names only its main
 * file, so the class is found as that file's neighbour.
 * @throws if there is none
 */
export async function loadCcxtClass(venue: MarketVenue): Promise<CcxtClass> {
  // An identifier is a file name here.
  const id = /^[a-z0-9]+$/.test(venue.exchange) ? venue.exchange : '-'
  const folders = venue.service === 'prediction' ? ['prediction'] : ['pro', '.']
  const files = folders.map((folder) => new URL(`./src/${folder}/${id}.js`, import.meta.resolve('ccxt')))
  const file = files.find((candidate) => existsSync(candidate))
  if (file === undefined) throw new Error(`ccxt has no exchange "${venue.exchange}".`)
  const module = (await import(file.href)) as { default: CcxtClass }
  return module.default
}
