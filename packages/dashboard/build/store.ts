import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Build, BuiltFile } from './files.ts'

/** What a kept build consists of: its list of files, and one file for each form of each of them. */
type List = { path: string; type: string; forms: Form[] }[]
type Form = 'plain' | 'gzip' | 'br'

const listName = 'files.json'
const forms: readonly Form[] = ['plain', 'gzip', 'br']

/** Resolves with `undefined` if there is no complete build with this fingerprint. */
export async function readBuild(folder: URL, fingerprint: string): Promise<Build | undefined> {
  const own = join(fileURLToPath(folder), fingerprint)
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
 * several processes may build at once and be killed half-way.
 */
export async function writeBuild(folder: URL, fingerprint: string, build: Build): Promise<void> {
  const root = fileURLToPath(folder)
  await mkdir(root, { recursive: true })
  const written = await mkdtemp(join(root, 'new-'))
  const list: List = []
  for (const [path, file] of build) {
    const present = forms.filter((form) => file[form] !== undefined)
    for (const form of present) await writeFile(join(written, `${list.length}.${form}`), file[form]!)
    list.push({ path, type: file.type, forms: present })
  }
  await writeFile(join(written, listName), JSON.stringify(list))
  const own = join(root, fingerprint)
  try {
    await rename(written, own)
  } catch (error) {
    // Another process was faster, or what is there is damaged: replaced, so that it is not made again each time.
    await rm(own, { recursive: true, force: true })
    await rename(written, own).catch(() =>
      rm(written, { recursive: true, force: true }).then(() => Promise.reject(error)),
    )
  }
  await dropOthers(root, fingerprint)
}

/** A build of other sources may belong to a process that has just read it, and needs it no more. */
async function dropOthers(root: string, fingerprint: string): Promise<void> {
  for (const name of await readdir(root)) {
    // What another process is just writing stays.
    if (/^[0-9a-f]{32}$/.test(name) && name !== fingerprint)
      await rm(join(root, name), { recursive: true, force: true })
  }
}
