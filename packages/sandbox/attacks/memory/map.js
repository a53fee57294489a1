/**
 * Fills the memory with entries of a map and a set.
 *
 * Holds: the isolate's limit, or that of a map.
 *
 * @ends violation memory | violation execution_time | failed RangeError
 * @kills
 */
const map = new Map()
const set = new Set()
for (let index = 0; ; index += 1) { map.set(index, [index]); set.add(`${index}`) }
