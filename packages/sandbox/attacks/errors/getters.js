/**
 * Throws an object whose every member throws.
 *
 * Holds: the description gives up, and says so.
 *
 * @ends failed Error: The code threw a value
 */
throw Object.defineProperties(new Error('x'), { name: { get() { throw 1 } }, message: { get() { throw 2 } }, stack: { get() { throw 3 } } })
