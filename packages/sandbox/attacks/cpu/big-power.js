/**
 * Raises a BigInt to a power of millions of digits.
 *
 * Holds: V8 refuses numbers that are too big, and interrupts other computations.
 *
 * @ends failed RangeError | violation execution_time | violation memory
 * @kills
 */
const digits = 3n ** 3_000_000n
for (;;) (digits ** 3n).toString()
