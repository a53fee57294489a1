import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Home } from './run.ts'

/** A folder with files, as somebody has cloned it. */
export async function clone(home: Home, name: string, files: Record<string, string>) {
  const folder = join(home.path, name)
  const write = async (path: string, text: string) => {
    await mkdir(join(folder, path, '..'), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  for (const [path, text] of Object.entries(files)) await write(path, text)
  return {
    folder,
    write,
    run: (command: string) => home.run(command, { folder }),
    read: (path: string) => readFile(join(folder, path), 'utf8'),
    /** Every file except those of this machine. */
    all: async (): Promise<Record<string, string>> => {
      const names = (await readdir(folder, { recursive: true, withFileTypes: true }))
        .filter((each) => each.isFile() && !each.parentPath.includes('.tickwright'))
        .map((each) => join(each.parentPath, each.name))
      return Object.fromEntries(
        await Promise.all(names.sort().map(async (path) => [path, await readFile(path, 'utf8')])),
      )
    },
  }
}
