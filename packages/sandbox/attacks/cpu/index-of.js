/**
 * Searches an array-like of 2^53 elements.
 *
 * Holds: V8 does not interrupt this; the parent kills the executor 300 ms after the deadline.
 *
 * @ends violation execution_time
 * @kills
 */
Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)
