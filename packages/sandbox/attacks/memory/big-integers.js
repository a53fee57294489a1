/**
 * Fills the memory with long integers.
 *
 * Holds: the isolate's limit.
 *
 * @ends violation memory | violation execution_time | failed RangeError
 * @kills
 */
const kept = []
for (let index = 1n; ; index += 1n) kept.push((1n << 1_000_000n) + index)
