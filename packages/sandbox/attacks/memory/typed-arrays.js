/**
 * Fills the memory with typed arrays, whose buffers are not on the heap.
 *
 * Holds: isolated-vm counts the memory of the buffers of an isolate.
 *
 * @ends failed RangeError: Array buffer allocation failed | violation memory | violation execution_time
 * @kills
 */
const kept = []
for (;;) kept.push(new Uint8Array(1_000_000).fill(1))
