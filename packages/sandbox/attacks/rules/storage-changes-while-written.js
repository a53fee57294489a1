/**
 * Stores an object that changes while it is being measured.
 *
 * Holds: it is written once, and that text is measured and stored.
 *
 * @ends completed
 * @log 1 "short"
 */
let reads = 0
await $.Storage.set({ toJSON() { reads += 1; return reads === 1 ? 'short' : 'x'.repeat(100_000) } })
$.log(reads, JSON.stringify(await $.Storage.get()))
