/** The data folder, the database, and the master key. */

import { timingSafeEqual } from 'node:crypto'
import { constants, existsSync, statSync } from 'node:fs'
import { access, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Config } from '../../config.ts'
import { serverForCommand } from '../../db/embedded/for-command.ts'
import { type ExaminedDatabase, examineDatabase } from '../../db/examination.ts'
import { keyCheckOf } from '../../secrets/open.ts'
import { isFirstStart } from '../first-start.ts'
import { type Finding, wordsOf } from './finding.ts'

const leastFreeBytes = 1024 ** 3

export async function dataFolder({ dataDir }: Config): Promise<Finding> {
  const about = 'data folder'
  const existing = nearest(dataDir)
  try {
    await access(existing, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch {
    const user = process.getuid?.()
    return {
      ...{ about, state: 'bad', text: `User ${user ?? ''} may not write to ${existing}.` },
      ...(user === undefined ? {} : { remedy: `sudo chown -R ${user}:${process.getgid!()} ${existing}` }),
    }
  }
  const { bavail, bsize } = await statfs(existing)
  const freeBytes = bavail * bsize
  const free = `${(freeBytes / 1e9).toFixed(1)} GB are free`
  const place = existing === dataDir ? dataDir : `${dataDir} (the first start creates it)`
  if (freeBytes >= leastFreeBytes) return { about, state: 'good', text: `${place}; ${free}.` }
  return {
    ...{ about, state: 'note', text: `${place}; only ${free}.` },
    remedy: 'Free some space, or keep data for fewer days: RETENTION_DAYS (docs/configuration.md)',
  }
}

/** The folder itself, or the nearest one above it that exists. */
function nearest(folder: string): string {
  return existsSync(folder) ? folder : nearest(dirname(folder))
}

/** Looks at the database without changing anything in it: what it lacks, the next start adds. */
export async function database(config: Config): Promise<Finding[]> {
  const about = 'database'
  if (isFirstStart(config)) {
    const text = 'There is none yet. The first start creates it.'
    return [{ about, state: 'good', text }, masterKey(config)]
  }
  await using acquired = new AsyncDisposableStack()
  try {
    const url = config.databaseUrl ?? (await serverForCommand(config.dataDir, acquired))
    const examined = await examineDatabase(url)
    return [judged(examined, config), await keyFor(examined, config)]
  } catch (error) {
    const remedy = remedyFor(error, config)
    return [
      { about, state: 'bad', text: `It cannot be used: ${wordsOf(error)}.`, ...(remedy && { remedy }) },
      masterKey(config),
    ]
  }
}

function judged({ version, isStandby, isReadOnly, migrations }: ExaminedDatabase, config: Config): Finding {
  const about = 'database'
  const where = config.databaseUrl === null ? 'embedded' : new URL(config.databaseUrl).host
  const name = `PostgreSQL ${version} (${where})`
  if (isStandby || isReadOnly) {
    const text = `${name} ${isStandby ? 'is a standby' : 'accepts no changes'}.`
    return { about, state: 'bad', text, remedy: 'Name the primary in DATABASE_URL' }
  }
  const missing = migrations.known - migrations.applied
  if (migrations.applied === 0) {
    return { about, state: 'good', text: `${name} is empty. The first start fills it.` }
  }
  const age =
    missing === 0 ? 'has the tables of this version' : 'is changed to this version at the next start'
  return { about, state: 'good', text: `${name} ${age}.` }
}

/** Whether the secrets in the database can be read with the master key. */
async function keyFor({ keyCheck }: ExaminedDatabase, config: Config): Promise<Finding> {
  const about = 'master key'
  if (keyCheck === undefined) return masterKey(config)
  const remedy = 'Set MASTER_KEY to the key of this installation, or put its master.key back'
  try {
    if (timingSafeEqual(keyCheck, await keyCheckOf(config))) return masterKey(config)
    return { about, state: 'bad', text: 'It is not the key of this database.', remedy }
  } catch (error) {
    return { about, state: 'bad', text: `There is none for this database: ${wordsOf(error)}`, remedy }
  }
}

/** Where the key is, and who can read it. */
function masterKey({ masterKey: given, dataDir }: Config): Finding {
  const about = 'master key'
  if (given !== null) return { about, state: 'good', text: 'MASTER_KEY is set.' }
  const file = join(dataDir, 'master.key')
  if (!existsSync(file)) return { about, state: 'good', text: `The first start writes it to ${file}.` }
  if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0) {
    return {
      ...{ about, state: 'bad', text: `Others on this machine can read ${file}.` },
      remedy: `chmod 600 ${file}`,
    }
  }
  return {
    ...{ about, state: 'note', text: `It is only in ${file}. Backups do not contain it.` },
    remedy: 'Keep a copy in another place: without it, no secret can be read again',
  }
}

function remedyFor(error: unknown, { databaseUrl }: Config): string | undefined {
  if (databaseUrl === null) return undefined
  const { hostname, port, pathname } = new URL(databaseUrl)
  const remedies: Record<string, string> = {
    ECONNREFUSED: `Start PostgreSQL on ${hostname}, port ${port || '5432'}, or correct DATABASE_URL`,
    ENOTFOUND: `No machine is called ${hostname}: correct DATABASE_URL`,
    ETIMEDOUT: `A firewall may be in the way: ${hostname}, port ${port || '5432'}`,
    '28P01': 'Correct user and password in DATABASE_URL',
    '28000': 'The server must let this user in from here: see pg_hba.conf',
    '3D000': `createdb ${pathname.slice(1)}`,
  }
  const { code, errors } = error as { code?: string; errors?: { code?: string }[] }
  return remedies[code ?? errors?.[0]?.code ?? '']
}
