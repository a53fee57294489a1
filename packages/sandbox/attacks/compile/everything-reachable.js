/**
 * Tries every function that can be reached as a constructor of functions, called and as `new`.
 *
 * Holds: `harden.js`: none of the four constructors can be reached by properties, prototypes or accessors.
 *
 * @ends completed
 * @log nothing compiles
 */
const seen = new Set()
const queue = [$.Ta, $.Http, Object, Array, Promise, Iterator, Error, JSON, Math, Symbol, function* () {}, async () => {},
  async function* () {}, [].values(), new Map().keys(), ''.matchAll(/x/g), new Uint8Array(1), [].values().map(Number)]
const visit = (value) => { if ((typeof value === 'object' && value !== null) || typeof value === 'function') queue.push(value) }
for (const object of queue) {
  if (seen.has(object)) continue
  seen.add(object)
  visit(Object.getPrototypeOf(object))
  for (const key of [...Object.getOwnPropertyNames(object), ...Object.getOwnPropertySymbols(object)]) {
    const { value, get, set } = Object.getOwnPropertyDescriptor(object, key)
    for (const member of [value, get, set]) visit(member)
  }
}
for (const candidate of seen) {
  if (typeof candidate !== 'function') continue
  for (const make of [() => candidate('return 7'), () => new candidate('return 7')]) {
    try {
      const made = make()
      if (typeof made === 'function' && /return 7/.test(String(made))) $.log('ESCAPED', candidate.name)
      if (made instanceof Promise) await made
    } catch {}
  }
}
$.log('nothing compiles')
