/**
 * Uses objects that all runs share as keys of a WeakMap, to find a value by them in the next run.
 *
 * Holds: the keys are shared, the map is not: it is a variable of one run.
 *
 * @ends completed
 * @log nothing
 */
const keys = [Object, Object.prototype, Math, $.Ta, $.Action, $.Exchange, ((strings) => strings)`t`, Symbol('x')]
const map = new WeakMap()
for (const key of keys) {
  if (map.has(key)) $.log('ESCAPED')
  map.set(key, 1)
}
$.log('nothing')
