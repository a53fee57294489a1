/**
 * Replaces the functions that the runtime uses to write and read JSON.
 *
 * Holds: `harden.js` freezes them, and the runtime has captured them before.
 *
 * @ends completed
 * @log 2 refused {"a":1}
 */
let refused = 0
for (const key of ['stringify', 'parse']) try { JSON[key] = () => '"ESCAPED"' } catch { refused += 1 }
await $.Storage.set({ a: 1 })
$.log(refused, 'refused', JSON.stringify(await $.Storage.get()))
