/**
 * Reverses a sparse array of 2^32 elements.
 *
 * Holds: if V8 does not interrupt this, the parent kills the executor.
 *
 * @ends violation execution_time | violation memory
 * @kills
 */
const sparse = []
sparse.length = 2 ** 32 - 1
sparse.reverse()
