/**
 * Throws in the getter of `then` that `await` reads, and in `catch` of the promise made of it.
 *
 * Holds: it is an ordinary rejection.
 *
 * @ends failed Error: second
 */
const thenable = { get then() { throw new Error('first') } }
Promise.resolve().then(() => thenable).catch(() => { throw new Error('second') })
