/**
 * Replaces the iteration of arrays, which spreads and destructuring in the runtime use.
 *
 * Holds: `harden.js` freezes iterators and their prototypes.
 *
 * @ends completed
 * @log 4 refused a b
 */
let refused = 0
const steal = () => { $.log('ESCAPED') }
for (const [object, key] of [[Array.prototype, Symbol.iterator], [Object.getPrototypeOf([].values()), 'next'], [Iterator.prototype, Symbol.iterator], [Map.prototype, 'get']]) {
  try { Object.defineProperty(object, key, { value: steal }) } catch { refused += 1 }
}
$.log(refused, 'refused', 'a', 'b')
