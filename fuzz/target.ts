import fc from 'fast-check'

/**
 * A part of the service that is fuzzed. Each file of `targets/` is one, its default export, and the file's name is its
 * name. An input is bytes wherever it is kept; targets of values have it as JSON.
 */
export type Target = {
  /** How a finding is kept: as it is, or as a JSON value. */
  format: 'bin' | 'json'
  /** Where the fuzzer begins. */
  seeds: readonly Buffer[]
  /** What mutations put in: the words that the parser compares with. */
  words: readonly string[]
  /** Inputs are not made longer than this. */
  byteLimit: number
  /** Makes whole values; without it, bytes are mutated. */
  arbitrary: fc.Arbitrary<unknown> | undefined
  /** Dependencies whose coverage guides the fuzzer too, beside our own code. */
  libraries: readonly string[]
  /** Throws, or never ends, when something is wrong. */
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

/** A target that reads text: bytes that are no UTF-8 become replacement characters. */
export function textTarget({ check, ...options }: BytesOptions & { check(text: string): unknown }): Target {
  return bytesTarget({ ...options, check: (input) => check(input.toString('utf8')) })
}

/** A target that takes values. They have to survive JSON, because that is how a finding is kept. */
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

/** A list of words that have no space in them. */
export function words(list: string): string[] {
  return list.split(' ')
}

/** Texts with everything that UTF-16 can hold, mixed with the words that matter. */
export function textWith(...words: string[]): fc.Arbitrary<string> {
  const piece = fc.oneof(
    fc.constantFrom(...words),
    fc.string({ maxLength: 8 }),
    fc.string({ unit: 'binary', maxLength: 4 }),
    fc.constantFrom('\0', '\ud800', '\udc00', '\u2028', '\u200b', '\r\n', '<', '>', '"', '\\', '{{', '}}'),
  )
  return fc.array(piece, { maxLength: 10 }).map((pieces) => pieces.join(''))
}
