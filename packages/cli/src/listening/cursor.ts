import { createHash } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { mostKnown } from '../records-after.ts'
import { replaceFile } from '../replace-file.ts'

/**
 * What a listener has handled, on the disk of this machine, so that the next one goes on after it. Each account, webhook and
 * target has its own.
 */
export class Cursor {
  readonly #path: string
  #known: readonly number[]

  private constructor(path: string, known: readonly number[]) {
    this.#path = path
    this.#known = known
  }

  /** @param folder the settings of this program; @param of what the cursor belongs to */
  static async read(folder: string, of: readonly (string | number)[]): Promise<Cursor> {
    const name = createHash('sha256').update(JSON.stringify(of)).digest('base64url').slice(0, 22)
    const path = join(folder, 'listening', name)
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
      return ''
    })
    return new Cursor(path, /^\d{1,15}(?: \d{1,15})*\n$/.test(text) ? text.trim().split(' ').map(Number) : [])
  }

  /** Where it began, then the last deliveries that were handled, in ascending order; empty before a first listener. */
  get known(): readonly number[] {
    return this.#known
  }

  /** The latest delivery that was handled, or the one to begin after; `undefined` before a first listener. */
  get id(): number | undefined {
    return this.#known.at(-1)
  }

  /** Begins after a delivery. */
  async begin(id: number): Promise<void> {
    await this.#write([id])
  }

  /** Notes that a delivery has been handled. */
  async add(id: number): Promise<void> {
    const known = [...this.#known, id].sort((one, other) => one - other)
    await this.#write(known.slice(-mostKnown))
  }

  async #write(known: readonly number[]): Promise<void> {
    await mkdir(join(this.#path, '..'), { recursive: true, mode: 0o700 })
    await replaceFile(this.#path, `${known.join(' ')}\n`, 0o600)
    this.#known = known
  }
}
