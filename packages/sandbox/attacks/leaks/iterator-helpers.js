/**
 * Leaves values on the prototypes of helpers, wrapped iterators and generators' own.
 *
 * Holds: `harden.js` finds and freezes the prototypes that no global leads to.
 *
 * @ends completed
 * @log 8 refused
 */
const prototypes = [[].values().map(Number), Iterator.from({ next() {} }), (function* () {})(), (async function* () {})(),
  ''.matchAll(/x/g), new Map().keys(), new Set().keys(), ''[Symbol.iterator]()].map(Object.getPrototypeOf)
let refused = 0
for (const prototype of prototypes) {
  // A generator's own prototype belongs to its function; the shared one is above it.
  const shared = Object.isFrozen(prototype) ? prototype : Object.getPrototypeOf(prototype)
  if (shared.leftover) $.log('ESCAPED')
  try { shared.leftover = 1; $.log('ESCAPED') } catch { refused += 1 }
}
$.log(refused, 'refused')
