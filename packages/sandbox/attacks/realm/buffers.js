/**
 * Makes the kinds of buffers that can grow, be shared or be moved.
 *
 * Holds: `harden.js` removes the members that make and move them; typed arrays keep plain buffers.
 *
 * @ends completed
 * @log refused refused refused refused undefined
 */
const { buffer } = new Uint8Array(8)
const ends = []
for (const make of [
  () => new buffer['con' + 'structor'](8, { maxByteLength: 1e9 }), () => buffer.resize(16), () => buffer.transfer(1e9),
  () => buffer.slice.call(Object.create(Object.getPrototypeOf(buffer)), 0),
]) {
  try { make(); ends.push('ESCAPED') } catch { ends.push('refused') }
}
$.log(...ends, String(buffer.maxByteLength === 8 ? undefined : 'ESCAPED'))
