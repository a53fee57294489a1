import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ownSources = import.meta.dirname
const defaultFolder = fileURLToPath(new URL('../dist/', import.meta.url))
/** Code of other sources is deleted when it is this old. */
const oldMs = 24 * 60 * 60 * 1000
const lockFile = fileURLToPath(new URL('../../../package-lock.json', import.meta.url))

/**
 * The file beside this one in which the npm package of the server has the code, since it brings no bundler.
 * @param clientPath as for `keptOrMade`
 */
export function packedGuestCode(clientPath: string | undefined): string {
  return clientPath === undefined ? 'guest-code-alone.json' : 'guest-code.json'
}

/**
 * Reads what was made of the present sources, or makes it and keeps it for later starts: bundling takes a third of a
 * second of processor time. Where nothing can be kept, it is made each time.
 * @param clientPath a module that is bundled too; the files beside it count as its sources
 */
export async function keptOrMade<T extends object>(
  clientPath: string | undefined,
  make: () => Promise<T>,
  folder = defaultFolder,
): Promise<T> {
  const packed = await read<T>(join(ownSources, packedGuestCode(clientPath)))
  if (packed !== undefined) return packed
  const name = `${await fingerprint(clientPath)}.json`
  const kept = await read<T>(join(folder, name))
  if (kept !== undefined) return kept
  const made = await make()
  await keep(folder, name, made).catch(() => undefined)
  return made
}

/** `undefined` if the file is absent, or was damaged by somebody. */
async function read<T>(file: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as T
  } catch {
    return undefined
  }
}

/** The file appears complete, by a rename, because several processes may write it at once and be killed half-way. */
async function keep(folder: string, name: string, made: object): Promise<void> {
  await mkdir(folder, { recursive: true })
  const written = join(folder, `${randomUUID()}.new`)
  try {
    await writeFile(written, JSON.stringify(made))
    await rename(written, join(folder, name))
  } finally {
    await rm(written, { force: true })
  }
  for (const other of await readdir(folder)) {
    const file = join(folder, other)
    if (other !== name && (await stat(file)).mtimeMs < Date.now() - oldMs) await rm(file, { force: true })
  }
}

/** A hash of everything that the code is made of. Equal sources with equal dependencies make the same code. */
async function fingerprint(clientPath: string | undefined): Promise<string> {
  const hash = createHash('sha256').update(`${process.version}\n`)
  // An installation by other means than npm has no lock file: then only the sources count.
  hash.update(await readFile(lockFile).catch(() => Buffer.of()))
  const folders = clientPath === undefined ? [ownSources] : [ownSources, dirname(clientPath)]
  for (const [index, folder] of folders.entries()) {
    for (const file of await sourcesIn(folder)) {
      hash.update(`\n${index} ${file}\n`).update(await readFile(join(folder, file)))
    }
  }
  return hash.digest('hex').slice(0, 32)
}

async function sourcesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true })
  return names.filter((name) => /\.[jt]s$/.test(name) && !name.endsWith('.test.ts')).sort()
}
