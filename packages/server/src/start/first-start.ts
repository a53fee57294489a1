import { existsSync } from 'node:fs'
import type { Config } from '../config.ts'
import { clusterFolder } from '../db/embedded/cluster.ts'

/** Whether the next start creates the embedded database. */
export function isFirstStart({ databaseUrl, dataDir }: Pick<Config, 'databaseUrl' | 'dataDir'>): boolean {
  return databaseUrl === null && !existsSync(clusterFolder(dataDir))
}
