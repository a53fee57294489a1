/**
 * Freezes everything that a library declares, and everything that can be reached from there. V8's own objects stay: if
 * they were frozen in a snapshot, V8 would abort when it loads it. In the snapshot, this happens once for all isolates.
 *
 * @param {unknown[]} declared
 */
;(function freezeLibrary(declared) {
  // Prototypes that no global leads to, but functions and generators do.
  const hidden = [async () => {}, function* () {}, async function* () {}, [].values(), (function* () {})()]
  const seen = new Set()
  for (const object of hidden) {
    for (let up = Object.getPrototypeOf(object); up !== null; up = Object.getPrototypeOf(up)) seen.add(up)
  }
  for (const name of Reflect.ownKeys(globalThis)) {
    const builtin = globalThis[name]
    seen.add(builtin)
    seen.add(builtin?.prototype)
  }
  const queue = [...declared]
  for (const object of queue) {
    if ((typeof object !== 'object' && typeof object !== 'function') || object === null || seen.has(object))
      continue
    seen.add(object)
    queue.push(Object.getPrototypeOf(object))
    for (const key of Reflect.ownKeys(object)) {
      const { value, get, set } = Object.getOwnPropertyDescriptor(object, key)
      queue.push(value, get, set)
    }
    Object.freeze(object)
  }
})
