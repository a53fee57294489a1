import { AppError, type ErrorDetail } from '../base/errors.ts'

/** A value is invalid. The message completes a sentence that begins with the name of the field. */
export class Wrong extends Error {
  override name = 'Wrong'
}

type Shared = { problems: ErrorDetail[]; unused: { path: string; fields: Set<string> }[] }

/**
 * Reads the fields of a payload, collects what is wrong with them, so that one answer names all of it, and remembers
 * which fields nobody has read. `null` counts as absent.
 */
export class PayloadReader {
  #fields: Record<string, unknown>
  #path: string
  #shared: Shared
  #unused: Set<string>

  constructor(fields: Record<string, unknown>, path = '', shared: Shared = { problems: [], unused: [] }) {
    this.#fields = fields
    this.#path = path
    this.#shared = shared
    this.#unused = new Set(Object.keys(fields).filter((name) => fields[name] !== null))
    shared.unused.push({ path, fields: this.#unused })
  }

  /** Own members only: in JSON, `__proto__` is a name like any other. `undefined`: absent. */
  value(name: string): unknown {
    const value = Object.hasOwn(this.#fields, name) ? this.#fields[name] : undefined
    return value === null ? undefined : value
  }

  has(name: string): boolean {
    return this.value(name) !== undefined
  }

  /** The value as `reader` reads it; `undefined` if the field is absent or wrong. */
  read<T>(name: string, reader: (value: unknown) => T): T | undefined {
    const value = this.value(name)
    this.#unused.delete(name)
    if (value === undefined) return undefined
    try {
      return reader(value)
    } catch (error) {
      if (!(error instanceof Wrong)) throw error
      this.refuse(name, error.message)
      return undefined
    }
  }

  need<T>(name: string, reader: (value: unknown) => T): T | undefined {
    if (!this.has(name)) this.refuse(name, 'is required')
    return this.read(name, reader)
  }

  /** The fields of an object within; `undefined` if it is absent or no object. */
  within(name: string): PayloadReader | undefined {
    const fields = this.read(name, (value) => {
      if (typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>
      throw new Wrong('must be an object')
    })
    return fields && new PayloadReader(fields, `${this.#path}${name}.`, this.#shared)
  }

  /** The fields of an object in a list that has been read; `undefined` if it is no object. */
  item(name: string, index: number): PayloadReader | undefined {
    const value = (this.value(name) as unknown[])[index]
    const path = `${name}[${index}]`
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return new PayloadReader(value as Record<string, unknown>, `${this.#path}${path}.`, this.#shared)
    }
    this.refuse(path, 'must be an object')
    return undefined
  }

  /** The fields have been read by somebody else. */
  use(...names: string[]): void {
    for (const name of names) this.#unused.delete(name)
  }

  /** The names of the fields that nobody has read so far. */
  get unread(): string[] {
    return [...this.#unused]
  }

  /** A field cannot be followed. @param message completes a sentence that begins with its name */
  refuse(name: string, message: string): void {
    this.#unused.delete(name)
    this.#shared.problems.push({ field: `body.${this.#path}${name}`, message })
  }

  /** Problems that somebody else has found. */
  add(problems: readonly ErrorDetail[]): void {
    this.#shared.problems.push(...problems)
  }

  /** All fields that nobody has read, also of the objects within: `order.price`. */
  *ignored(): Generator<string> {
    for (const { path, fields } of this.#shared.unused) {
      for (const name of fields) yield `${path}${name}`
    }
  }

  /** @throws {AppError} 400, naming every invalid field, if there is one */
  check(): void {
    const { problems } = this.#shared
    if (problems.length === 0) return
    const sentence = problems.map(({ field, message }) => `${field} ${message}`).join('; ')
    throw new AppError('request_invalid', `Invalid request: ${sentence}.`, { details: problems })
  }
}
