/**
 * Catches values that builtins and the runtime put into new arrays, with setters of indexes.
 *
 * Holds: `harden.js` freezes the prototypes; no object accepts a setter.
 *
 * @ends completed
 * @log 30 refused
 */
let refused = 0
for (const prototype of [Array.prototype, Object.prototype, Object.getPrototypeOf(Uint8Array.prototype)]) {
  for (let index = 0; index < 10; index += 1) {
    try { Object.defineProperty(prototype, index, { set: (value) => $.log('ESCAPED', value) }) } catch { refused += 1 }
  }
}
$.log(refused, 'refused')
