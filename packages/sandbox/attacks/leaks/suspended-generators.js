/**
 * Leaves generators suspended in the midst of `try`, with a `finally` that would run later.
 *
 * Holds: nothing of a run is kept that could resume them.
 *
 * @ends completed
 * @log 1 1
 */
function* hold() { try { yield 1 } finally { $.log('ESCAPED') } }
async function* holdAsync() { try { yield 1 } finally { $.log('ESCAPED') } }
const [held, heldAsync] = [hold(), holdAsync()]
$.log(held.next().value, (await heldAsync.next()).value)
