/**
 * The part of `$` that the typical code needs. Each bare context evaluates it after the indicator library has set
 * `globalThis.Ta`, and calls it with whether runs share the context.
 *
 * Returns `run(code, storage, data, act)`, which resolves to the JSON text that the code stored. A shared context
 * compiles the code of its first run and keeps it.
 */
;(function open(isShared) {
  const { stringify, parse } = JSON
  const AsyncFunction = (async () => {}).constructor
  const Ta = globalThis.Ta.exports
  const Action = { LONG: 'LONG' }
  let body
  if (isShared) freezeAll(globalThis)
  return async (code, storage, data, act) => {
    body ??= new AsyncFunction('$', `"use strict";\n${code}\n`)
    let stored = storage
    await body({
      Action,
      Ta,
      Request: { data },
      Storage: {
        get: async () => parse(stored),
        set: async (value) => {
          stored = stringify(value)
        },
      },
      Strategy: { action: async (action) => await act(action) },
    })
    return stored
  }

  /** Freezes every reachable object, so that a run can leave nothing behind. */
  function freezeAll(root) {
    const seen = new Set()
    const queue = [root, async () => {}, function* () {}]
    for (const object of queue) {
      if ((typeof object !== 'object' && typeof object !== 'function') || object === null || seen.has(object))
        continue
      seen.add(object)
      queue.push(Object.getPrototypeOf(object))
      for (const key of Reflect.ownKeys(object)) {
        const { value, get, set } = Object.getOwnPropertyDescriptor(object, key)
        queue.push(value, get, set)
      }
    }
    for (const object of [...seen].reverse()) Object.freeze(object)
  }
})
