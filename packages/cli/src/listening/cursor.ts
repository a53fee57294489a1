import { createHash } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceFile } from '../replace-file.ts'

/** So many handled deliveries are known by their ids. */
const mostKnown = 100

/**
 * What a listener has handled, on the disk of this machine, so that the next one goes on after it. Each account, webhook and
 * target has its own.
 *
 * Two nodes of a service store deliveries at the same time, so one can appear after another with a higher id. The last
 * ids show which one that is.
 */
export class Cursor {
  readonly #path: string
  #handled: number[]
  /** Nothing up to here is to be handled. */
  #floor: number | undefined

  private constructor(path: string, ids: readonly number[]) {
    this.#path = path
    ;[this.#floor, ...this.#handled] = ids
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

  /** The latest delivery that was handled, or the one to begin after; `undefined` before a first listener. */
  get id(): number | undefined {
    return this.#handled.at(-1) ?? this.#floor
  }

  /** Whether a delivery up to {@link id} still has to be handled. */
  misses(id: number): boolean {
    return this.#handled.length > 0 && id > this.#floor! && !this.#handled.includes(id)
  }

  /** Begins after a delivery. */
  async begin(id: number): Promise<void> {
    await this.#write(id, [])
  }

  /** Notes that a delivery has been handled. */
  async add(id: number): Promise<void> {
    const handled = [...this.#handled, id].sort((one, other) => one - other)
    const floor = handled.length > mostKnown ? handled.shift()! : this.#floor!
    await this.#write(floor, handled)
  }

  async #write(floor: number, handled: number[]): Promise<void> {
    await mkdir(join(this.#path, '..'), { recursive: true, mode: 0o700 })
    await replaceFile(this.#path, `${[floor, ...handled].join(' ')}\n`, 0o600)
    this.#floor = floor
    this.#handled = handled
  }
}
