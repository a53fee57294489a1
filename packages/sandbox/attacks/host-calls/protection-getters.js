/**
 * Hides other values than it showed in the protection of an action: in getters, in elements of a list, and behind toJSON.
 *
 * Holds: the isolate copies each value once, and the parent accepts only the shape of a protection.
 *
 * @ends completed
 * @actions 1
 * @log TypeError TypeError TypeError 1
 */
const ends = []
let reads = 0
for (const protection of [
  { take_profit: Object.defineProperty([{ at: 1 }], 1, { get: () => 'ESCAPED' }) },
  { trailing: { by: '1%', ESCAPED: 1 } },
  { get stop_loss() { return { toJSON: () => 'ESCAPED' } } },
]) await $.Strategy.action('LONG', { protection }).then(() => ends.push('ESCAPED'), (error) => ends.push(error.name))
await $.Strategy.action('LONG', { protection: { get stop_loss() { reads += 1; return reads === 1 ? '2%' : {} } } })
$.log(...ends, reads)
