/**
 * Makes an async generator reject while it is being closed.
 *
 * Holds: it is an ordinary rejection.
 *
 * @ends failed Error: closing
 */
async function* generator() { try { yield 1 } finally { throw new Error('closing') } }
const iterator = generator()
await iterator.next()
iterator.return()
