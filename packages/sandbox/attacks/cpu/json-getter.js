/**
 * Makes `JSON.stringify` call a getter for each of a million members.
 *
 * Holds: the timeout interrupts between the getters.
 *
 * @ends violation execution_time
 */
const slow = { get x() { let sum = 0; for (let index = 0; index < 1e5; index += 1) sum += index; return sum } }
JSON.stringify(Array.from({ length: 100_000 }, () => slow))
