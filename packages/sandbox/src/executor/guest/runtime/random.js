/**
 * Random numbers that follow from a seed: sfc32 of Chris Doty-Humphrey (PractRand), a small and fast generator that passes
 * the known statistical tests. Anyone who sees some numbers can compute the next ones, as with V8's own.
 *
 * The state is of the module, since a context runs one run at a time, and V8 makes such functions fastest.
 */

/** Outputs that a new seed drops, as its author advises: the first ones still resemble the seed. */
const dropped = 12

let a = 0
let b = 0
let c = 0
let count = 0

/** @param {number} seed a whole number from 0 to 2 ** 53 - 1 */
export function sow(seed) {
  a = 0
  b = seed | 0
  c = (seed / 2 ** 32) | 0
  count = 1
  for (let index = 0; index < dropped; index += 1) nextWord()
}

/** The next number from 0 to 1, without 1, with 53 random bits. */
export function nextNumber() {
  const high = nextWord() >>> 0
  return (high * 2 ** 21 + (nextWord() >>> 11)) / 2 ** 53
}

function nextWord() {
  const word = (a + b + count) | 0
  count = (count + 1) | 0
  a = b ^ (b >>> 9)
  b = (c + (c << 3)) | 0
  c = (((c << 21) | (c >>> 11)) + word) | 0
  return word
}
