import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'

/** Whether the next start creates the embedded database. */
export function isFirstStart({ databaseUrl, dataDir }: Pick<Config, 'databaseUrl' | 'dataDir'>): boolean {
  return databaseUrl === null && !existsSync(join(dataDir, 'pglite'))
}
