/**
 * Detaches a buffer under a typed array while builtins work on it.
 *
 * Holds: no remaining function can detach or shrink one.
 *
 * @ends completed
 * @log 4 1,2,3,4
 */
const bytes = new Uint8Array([4, 3, 2, 1])
bytes.sort((a, b) => {
  for (const name of ['transfer', 'resize', 'transferToFixedLength']) { try { bytes.buffer[name](0); $.log('ESCAPED') } catch {} }
  return a - b
})
$.log(bytes.length, bytes.join())
