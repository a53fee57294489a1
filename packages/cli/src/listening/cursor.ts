import { createHash } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceFile } from '../replace-file.ts'

/**
 * The last delivery that a listener has handled, on the disk of this machine, so that the next one goes on after it. Each
 * account, webhook and target has its own.
 */
export class Cursor {
  readonly #path: string
  #id: number | undefined

  private constructor(path: string, id: number | undefined) {
    this.#path = path
    this.#id = id
  }

  /** @param folder the settings of this program; @param of what the cursor belongs to */
  static async read(folder: string, of: readonly (string | number)[]): Promise<Cursor> {
    const name = createHash('sha256').update(JSON.stringify(of)).digest('base64url').slice(0, 22)
    const path = join(folder, 'listening', name)
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
      return ''
    })
    return new Cursor(path, /^\d{1,15}\n$/.test(text) ? Number(text) : undefined)
  }

  /** `undefined` before a first listener. */
  get id(): number | undefined {
    return this.#id
  }

  async set(id: number): Promise<void> {
    await mkdir(join(this.#path, '..'), { recursive: true, mode: 0o700 })
    await replaceFile(this.#path, `${id}\n`, 0o600)
    this.#id = id
  }
}
