/**
 * Fills the memory with entries of a WeakMap whose keys live.
 *
 * Holds: the isolate's limit.
 *
 * @ends violation memory | violation execution_time
 * @kills
 */
const map = new WeakMap()
const keys = []
for (;;) { const key = {}; keys.push(key); map.set(key, new Array(100).fill(keys.length)) }
