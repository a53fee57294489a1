import { randomBytes } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/**
 * Replaces a file as a whole, so that no kill leaves half of it. A link in its place is replaced, not followed.
 * @param mode who may read and write it, less what the process may not give
 */
export async function replaceFile(path: string, text: string, mode: number): Promise<void> {
  const written = join(dirname(path), `.${randomBytes(6).toString('hex')}.new`)
  try {
    const file = await open(written, 'wx', mode)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(written, path)
  } catch (error) {
    await rm(written, { force: true })
    throw error
  }
}
