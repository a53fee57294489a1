/**
 * Joins and intersects large sets without end.
 *
 * Holds: the timeout interrupts between the operations.
 *
 * @ends violation execution_time | violation memory
 */
const numbers = new Set(Array.from({ length: 50_000 }, (_, index) => index))
for (;;) numbers.symmetricDifference(numbers.union(numbers))
