/**
 * Pollutes prototypes with the names of options that the runtime or the executor could read.
 *
 * Holds: the prototypes are frozen; and the runtime reads own properties of objects of its own.
 *
 * @ends completed
 * @log 24 refused
 */
let refused = 0
const names = ['reference', 'timeout', 'promise', 'copy', 'arguments', 'result', 'get', 'set', 'value', 'writable', 'then', 'toJSON']
for (const name of names) {
  for (const prototype of [Object.prototype, Array.prototype]) {
    try { prototype[name] = true; $.log('ESCAPED', name) } catch { refused += 1 }
  }
}
await $.Strategy.stop()
$.log(refused, 'refused')
