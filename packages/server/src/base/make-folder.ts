import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Creates a folder, and the folders that it is in, unless they exist. Only their owner can read the new ones. Node's
 * own `recursive` option never returns where nothing can be created, such as in `/proc`.
 * @throws the error of the system
 */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && (await stat(folder)).isDirectory()) return
    const parent = dirname(folder)
    if (code !== 'ENOENT' || parent === folder) throw error
    await makeFolder(parent)
    await mkdir(folder, { mode: 0o700 }).catch(async (again: NodeJS.ErrnoException) => {
      // Another process may have created it meanwhile.
      if (again.code !== 'EEXIST') throw again
    })
  }
}
