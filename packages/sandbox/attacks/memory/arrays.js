/**
 * Fills the memory with arrays.
 *
 * Holds: the isolate's limit; allocations until then may make the parent kill the executor.
 *
 * @ends violation memory | violation execution_time
 * @kills
 */
const kept = []
for (;;) kept.push(new Array(100_000).fill(1))
