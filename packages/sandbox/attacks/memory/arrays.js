/**
 * Fills the memory with arrays.
 *
 * Holds: the isolate's limit; what is still allocated on the way out may cost the executor its life.
 *
 * @ends violation memory
 * @kills
 */
const kept = []
for (;;) kept.push(new Array(100_000).fill(1))
