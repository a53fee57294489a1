/**
 * Fills an array-like of 2^53 elements.
 *
 * Holds: if V8 does not interrupt this, the parent kills the executor.
 *
 * @ends violation execution_time | violation memory
 * @kills
 */
Array.prototype.fill.call({ length: 2 ** 53 - 1 }, 1)
