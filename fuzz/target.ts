import fc from 'fast-check'

/**
 * A fuzzed part of the service: the default export of a file in `targets/`, with the name of the file. Inputs are stored
 * as bytes; for targets of values, these bytes are JSON.
 */
export type Target = {
  /** How a finding is stored: unchanged, or as a JSON value. */
  format: 'bin' | 'json'
  /** The inputs that the fuzzer starts from. */
  seeds: readonly Buffer[]
  /** Words that mutations insert: the words that the parser compares with. */
  words: readonly string[]
  /** The largest length of an input. */
  byteLimit: number
  /** Generates whole values. Without it, the fuzzer mutates bytes. */
  arbitrary: fc.Arbitrary<unknown> | undefined
  /** Dependencies whose coverage also guides the fuzzer, in addition to the project's code. */
  libraries: readonly string[]
  /** Throws, or never ends, if something is wrong. */
  check(input: Buffer): unknown
}

type BytesOptions = {
  seeds: readonly (string | Buffer)[]
  words?: readonly string[]
  byteLimit?: number
  libraries?: readonly string[]
}

/** A target that reads raw bytes. */
export function bytesTarget(options: BytesOptions & { check(input: Buffer): unknown }): Target {
  const { seeds, words = [], byteLimit = 1024, libraries = [], check } = options
  const asBytes = seeds.map((seed) => (typeof seed === 'string' ? Buffer.from(seed) : seed))
  return { format: 'bin', seeds: asBytes, words, byteLimit, arbitrary: undefined, libraries, check }
}

/** A target that reads text. Bytes that are not UTF-8 become replacement characters. */
export function textTarget({ check, ...options }: BytesOptions & { check(text: string): unknown }): Target {
  return bytesTarget({ ...options, check: (input) => check(input.toString('utf8')) })
}

/** A target that reads JSON objects. Other texts are nothing to it. */
export function objectTarget({
  check,
  ...options
}: BytesOptions & { check(object: Record<string, unknown>): unknown }): Target {
  return textTarget({
    ...options,
    check: (text) => {
      let value: unknown
      try {
        value = JSON.parse(text)
      } catch {
        return
      }
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
        check(value as Record<string, unknown>)
      }
    },
  })
}

/** A target that takes values. They must survive JSON, because findings are stored as JSON. */
export function valuesTarget<T>(arbitrary: fc.Arbitrary<T>, check: (value: T) => unknown): Target {
  return {
    format: 'json',
    seeds: [],
    words: [],
    byteLimit: Number.POSITIVE_INFINITY,
    arbitrary,
    libraries: [],
    check: (input) => check(JSON.parse(input.toString('utf8')) as T),
  }
}

/** A list of words without spaces. */
export function words(list: string): string[] {
  return list.split(' ')
}

/** Texts of any UTF-16 units, mixed with the important words. */
export function textWith(...words: string[]): fc.Arbitrary<string> {
  const piece = fc.oneof(
    fc.constantFrom(...words),
    fc.string({ maxLength: 8 }),
    fc.string({ unit: 'binary', maxLength: 4 }),
    fc.constantFrom('\0', '\ud800', '\udc00', '\u2028', '\u200b', '\r\n', '<', '>', '"', '\\', '{{', '}}'),
  )
  return fc.array(piece, { maxLength: 10 }).map((pieces) => pieces.join(''))
}
