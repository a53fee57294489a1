import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

const packages = join(import.meta.dirname, '..', '..')
/** Folders whose files become part of the build. */
const sources = ['dashboard/src', 'dashboard/build', 'client/src', 'runtime-types']
const lockFile = join(packages, '..', 'package-lock.json')

/**
 * A hash of everything that a build is made of. Equal sources with equal dependencies make the same build.
 * @returns 32 hexadecimal digits
 */
export async function fingerprint(): Promise<string> {
  const hash = createHash('sha256')
  // An installation by other means than npm has no lock file: then only the sources count.
  const locked = await readFile(lockFile).catch(() => Buffer.of())
  hash.update(`${process.version}\n`).update(locked)
  for (const file of (await Promise.all(sources.map(filesIn))).flat()) {
    hash.update(`\n${file.name}\n`).update(file.contents)
  }
  return hash.digest('hex').slice(0, 32)
}

async function filesIn(folder: string): Promise<{ name: string; contents: Buffer }[]> {
  const names = await readdir(join(packages, folder), { recursive: true, withFileTypes: true })
  const files = names
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !/\.test\.tsx?$/.test(file))
    .sort()
  return Promise.all(
    files.map(async (file) => ({ name: file.slice(packages.length), contents: await readFile(file) })),
  )
}
