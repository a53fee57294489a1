import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** A folder beside the project, if it exists: real candles that the project does not contain. */
const folder = join(import.meta.dirname, '../../../../shared/data')

function sharedFile(name: string, rows: number, periodMs: number) {
  const path = join(folder, name)
  return { name, path, rows, periodMs, skip: existsSync(path) ? false : `needs ../shared/data/${name}` }
}

/** Each file with the option that skips a test if it is absent. */
export const altbtc = sharedFile('altbtc-1m.csv', 13_681, 60_000)
export const eurusd = sharedFile('eurusd-1h.csv', 5_000, 3_600_000)
