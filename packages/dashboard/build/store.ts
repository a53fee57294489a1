import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Build, BuiltFile } from './files.ts'

/** What a kept build consists of: its list of files, and one file for each form of each of them. */
type List = { path: string; type: string; forms: Form[] }[]
type Form = 'plain' | 'gzip' | 'br'

const listName = 'files.json'
const forms: readonly Form[] = ['plain', 'gzip', 'br']

/** Resolves with `undefined` if there is no complete build with this fingerprint. */
export function readBuild(folder: URL, fingerprint: string): Promise<Build | undefined> {
  return readFolder(join(fileURLToPath(folder), fingerprint))
}

async function readFolder(own: string): Promise<Build | undefined> {
  try {
    const list = JSON.parse(await readFile(join(own, listName), 'utf8')) as List
    const files = await Promise.all(
      list.map(async ({ path, type, forms }, index): Promise<[string, BuiltFile]> => {
        const read = await Promise.all(
          forms.map(async (form) => [form, await readFile(join(own, `${index}.${form}`))]),
        )
        return [path, { type, ...Object.fromEntries(read) }]
      }),
    )
    return new Map(files)
  } catch {
    // Absent, or damaged by somebody: it is made again.
    return undefined
  }
}

/**
 * Keeps a build, and deletes those of other sources. The folder of a build appears complete, by a rename, because
 * several processes may build at once and be killed half-way. Everybody may read it: root builds for a service that runs
 * as another user.
 */
export async function writeBuild(folder: URL, fingerprint: string, build: Build): Promise<void> {
  const root = fileURLToPath(folder)
  await mkdir(root, { recursive: true })
  // Not by `mkdtemp`, whose folders only their owner can read.
  const written = join(root, `new-${randomUUID()}`)
  await mkdir(written)
  const list: List = []
  for (const [path, file] of build) {
    const present = forms.filter((form) => file[form] !== undefined)
    for (const form of present) await writeFile(join(written, `${list.length}.${form}`), file[form]!)
    list.push({ path, type: file.type, forms: present })
  }
  await writeFile(join(written, listName), JSON.stringify(list))
  const own = join(root, fingerprint)
  try {
    await put(written, own)
  } finally {
    await rm(written, { recursive: true, force: true })
  }
  await dropOthers(root, fingerprint)
}

/** Moves a complete build to its place, unless another process was faster. What is damaged there is replaced. */
async function put(written: string, own: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await rename(written, own)
    } catch (error) {
      if (!isOneOf(error, 'ENOTEMPTY', 'EEXIST')) throw error
    }
    if ((await readFolder(own)) !== undefined) return
    // In one step: a deletion, file by file, could hit what another process puts there meanwhile.
    const old = `${written}.${tries}`
    await rename(own, old).catch((error) => {
      if (!isOneOf(error, 'ENOENT')) throw error
    })
    await rm(old, { recursive: true, force: true })
  }
}

const isOneOf = (error: unknown, ...codes: string[]) =>
  codes.includes((error as NodeJS.ErrnoException).code ?? '')

/** A build of other sources may belong to a process that has just read it, and needs it no more. */
async function dropOthers(root: string, fingerprint: string): Promise<void> {
  for (const name of await readdir(root)) {
    // What another process is just writing stays.
    if (/^[0-9a-f]{32}$/.test(name) && name !== fingerprint)
      await rm(join(root, name), { recursive: true, force: true })
  }
}
