import type { Random } from './random.ts'

/** Numbers at which code often changes its behaviour. */
const numbers = ['0', '-1', '1', '-0', '255', '256', '65535', '2147483648', '4294967296', '9007199254740993']
const moreNumbers = ['1e308', '1e999', '5e-324', '1e-200', '0.1', '00', '+1', '0x10', 'NaN', '١']
const bytes = [0x00, 0x09, 0x0a, 0x0d, 0x20, 0x22, 0x2c, 0x2f, 0x5c, 0x7b, 0x7d, 0x7f, 0x80, 0xc0, 0xf8, 0xff]

type Mutation = (input: Buffer, random: Random, context: Context) => Buffer
type Context = { words: readonly string[]; corpus: readonly Buffer[] }

const mutations: readonly Mutation[] = [
  // Change one bit, or one byte, or write a special byte.
  (input, random) => changed(input, random, (byte) => byte ^ (1 << random.below(8))),
  (input, random) => changed(input, random, () => random.below(256)),
  (input, random) => changed(input, random, () => random.oneOf(bytes)),
  (input, random) => changed(input, random, () => 0x20 + random.below(95)),
  // Insert or overwrite something.
  (input, random) => put(input, random, Buffer.from([0x20 + random.below(95)])),
  (input, random) => put(input, random, Buffer.from([random.oneOf(bytes)])),
  (input, random, { words }) =>
    put(input, random, Buffer.from(words.length === 0 ? ' ' : random.oneOf(words))),
  (input, random, { words }) =>
    put(input, random, Buffer.from(words.length === 0 ? '"' : random.oneOf(words))),
  (input, random) => put(input, random, part(input, random)),
  (input, random) => {
    const piece = part(input, random).subarray(0, 32)
    return put(input, random, Buffer.concat(Array.from({ length: 1 + random.below(16) }, () => piece)))
  },
  // Remove something.
  (input, random) => {
    const [from, to] = range(input, random)
    return Buffer.concat([input.subarray(0, from), input.subarray(to)])
  },
  (input, random) => input.subarray(0, random.below(input.length + 1)),
  // Combine two inputs.
  (input, random, { corpus }) => put(input, random, part(random.oneOf(corpus), random)),
  (input, random, { corpus }) => {
    const other = random.oneOf(corpus)
    return Buffer.concat([
      input.subarray(0, random.below(input.length + 1)),
      other.subarray(random.below(other.length + 1)),
    ])
  },
  // Replace a number.
  (input, random) => {
    const text = input.toString('latin1')
    const found = [...text.matchAll(/\d+(?:\.\d+)?/g)]
    if (found.length === 0) return put(input, random, Buffer.from(random.oneOf(numbers)))
    const { index, 0: old } = random.oneOf(found)
    const next =
      random.below(2) === 0 ? String(random.below(100)) : random.oneOf([...numbers, ...moreNumbers])
    return Buffer.from(text.slice(0, index) + next + text.slice(index + old.length), 'latin1')
  },
]

/** Changes an input in one to four places. The result is at most `byteLimit` long. */
export function mutate(input: Buffer, random: Random, context: Context & { byteLimit: number }): Buffer {
  let mutated = input
  for (let times = 1 << random.below(3); times > 0; times--) {
    mutated = random.oneOf(mutations)(mutated, random, context)
  }
  return mutated.subarray(0, context.byteLimit)
}

function changed(input: Buffer, random: Random, change: (byte: number) => number): Buffer {
  if (input.length === 0) return Buffer.from([change(0) & 0xff])
  const copy = Buffer.from(input)
  const at = random.below(copy.length)
  copy[at] = change(copy[at]!)
  return copy
}

function put(input: Buffer, random: Random, piece: Buffer): Buffer {
  const at = random.below(input.length + 1)
  const over = random.below(2) === 0 ? 0 : piece.length
  return Buffer.concat([input.subarray(0, at), piece, input.subarray(at + over)])
}

function part(input: Buffer, random: Random): Buffer {
  return input.subarray(...range(input, random))
}

function range(input: Buffer, random: Random): [from: number, to: number] {
  const from = random.below(input.length + 1)
  return [from, from + random.below(input.length - from + 1)]
}
