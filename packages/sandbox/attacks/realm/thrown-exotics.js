/**
 * Throws values that cannot be described: without prototype, with getters that throw, of exotic classes.
 *
 * Holds: thrown values are described inside the isolate, and any failure of that is caught.
 *
 * @ends failed Error: [object] was thrown
 */
throw Object.create(null, { toString: { get() { throw 1 } }, toJSON: { get() { throw 2 } }, message: { get() { throw 3 } } })
