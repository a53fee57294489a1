/** The most UTF-8 bytes of the JSON that a model stores. Code has `storageByteLimit`. */
export const modelStorageByteLimit = 1024 * 1024

/** What a model can append: text to a text, anything to a list. */
export type StoredEntry = string | number | boolean | object

type Fields = Record<string, unknown>

/**
 * The stored value of a model in one run: an object. Each append costs as much as what it adds and drops, not as much as
 * the value, so that forty appends to a megabyte delay nobody.
 */
export class StoredValue {
  /** JSON; `null` if nothing is stored. Out of date while `#isStale`. */
  #text: string | null
  #isStale = false
  /** The same as a value, once something needs it. */
  #fields: Fields | undefined
  #bytes: number
  #isChanged = false

  constructor(text: string | null) {
    this.#text = text
    this.#bytes = text === null ? 0 : Buffer.byteLength(text)
  }

  /** The JSON of the value if this run has changed it; otherwise `undefined`. */
  get changed(): string | undefined {
    return this.#isChanged ? this.#json() : undefined
  }

  /**
   * The JSON of the value, or of one of its fields, or of the `last` elements or characters of that field.
   * It is `null` if there is none.
   */
  read({ key, last }: { key?: string; last?: number }): string {
    if (key === undefined) return this.#json()
    const value = fieldOf(this.#parsed(), key)
    const isLong = Array.isArray(value) || typeof value === 'string'
    return JSON.stringify((isLong && last !== undefined ? value.slice(-last) : value) ?? null)
  }

  /** Replaces the value. Returns the bytes of its JSON; the caller decides what too many of them mean. */
  replace(fields: object): number {
    this.#text = JSON.stringify(fields)
    this.#isStale = false
    this.#fields = undefined
    this.#bytes = Buffer.byteLength(this.#text)
    this.#isChanged = true
    return this.#bytes
  }

  /**
   * Adds an entry to the end of the field `key`: a list gets one more element, a text gets longer. If there is no such
   * field, it becomes a list.
   * @param keep how many of the last elements or characters stay
   * @returns what is wrong, as a sentence: then the value stays as it is
   */
  append(key: string, entry: StoredEntry, keep = Number.POSITIVE_INFINITY): { problem: string } | undefined {
    const fields = this.#parsed()
    if (typeof fields !== 'object' || Array.isArray(fields)) {
      return { problem: 'The stored value is not an object, so it has no fields to append to.' }
    }
    const before = fieldOf(fields, key) ?? undefined
    if (before === undefined) return this.#put(fields, key, [entry])
    if (Array.isArray(before)) return this.#push(before, entry, keep)
    if (typeof before !== 'string') {
      return { problem: `The stored value has neither a list nor a text under ${named(key)}.` }
    }
    if (typeof entry !== 'string') {
      return { problem: `Only a text can be appended to the text under ${named(key)}.` }
    }
    return this.#put(fields, key, lastOf(before + entry, keep))
  }

  #put(fields: Fields, key: string, value: unknown): { problem: string } | undefined {
    const isNew = !Object.hasOwn(fields, key)
    const name = isNew ? jsonBytes(key) + 1 + (Object.keys(fields).length === 0 ? 0 : 1) : 0
    const grown = name + jsonBytes(value) - (isNew ? 0 : jsonBytes(fields[key]))
    return this.#grow(grown, () => {
      // Unlike an assignment, this also works for a field with the name __proto__.
      Object.defineProperty(fields, key, { value, enumerable: true, writable: true, configurable: true })
    })
  }

  #push(list: unknown[], entry: StoredEntry, keep: number): { problem: string } | undefined {
    const dropped = list.slice(0, Math.max(0, list.length + 1 - keep))
    const commas = (length: number) => Math.max(0, length - 1)
    const grown =
      jsonBytes(entry) -
      dropped.reduce((sum: number, one) => sum + jsonBytes(one), 0) +
      commas(list.length + 1 - dropped.length) -
      commas(list.length)
    return this.#grow(grown, () => {
      list.splice(0, dropped.length)
      list.push(entry)
    })
  }

  #grow(bytes: number, change: () => void): { problem: string } | undefined {
    const after = (this.#text === null && this.#bytes === 0 ? 2 : this.#bytes) + bytes
    if (after > modelStorageByteLimit) {
      const rule = `The stored value may have ${modelStorageByteLimit} bytes of JSON; with this entry it would have ${after}`
      return { problem: `${rule}. Give keep, which drops old entries, or replace the value.` }
    }
    change()
    this.#bytes = after
    this.#isStale = true
    this.#isChanged = true
    return undefined
  }

  #parsed(): Fields {
    this.#fields ??= (JSON.parse(this.#text ?? 'null') as Fields | null) ?? {}
    return this.#fields
  }

  #json(): string {
    if (this.#isStale) {
      this.#text = JSON.stringify(this.#fields)
      this.#isStale = false
    }
    return this.#text ?? 'null'
  }
}

function fieldOf(fields: Fields, key: string): unknown {
  return Object.hasOwn(Object(fields), key) ? fields[key] : undefined
}

/** The last characters of a text. The cut may have split a pair. */
function lastOf(text: string, length: number): string {
  return text.length <= length ? text : text.slice(-length).replace(/^[\udc00-\udfff]/, '')
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}

function named(key: string): string {
  return JSON.stringify(key.slice(0, 50))
}
