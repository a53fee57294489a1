/**
 * Gives typed arrays lengths, sources and iterators that change during their use.
 *
 * Holds: V8 checks them.
 *
 * @ends completed
 * @log RangeError RangeError 2
 */
const ends = []
for (const make of [() => new Uint8Array(2 ** 53 - 1), () => new Float64Array({ length: 2 ** 40 })]) {
  try { make(); ends.push('ESCAPED') } catch (error) { ends.push(error.name) }
}
const source = [{ valueOf() { source.length = 0; source.push(1, 2, 3, 4); return 9 } }, 2]
$.log(...ends, new Uint8Array(source).length)
