import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

const folder = join(import.meta.dirname, 'hostile')

/** Strategies that disturb others as much as they can: the files of `hostile/`. */
export const hostileStrategies: readonly { name: string; code: string }[] = await Promise.all(
  (await readdir(folder)).sort().map(async (file) => ({
    name: file.replace(/\.js$/, ''),
    code: await readFile(join(folder, file), 'utf8'),
  })),
)
