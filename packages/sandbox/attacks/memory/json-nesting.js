/**
 * Parses and writes a text nested a million deep.
 *
 * Holds: V8's stack is bounded, and an overflow is an error like any other.
 *
 * @ends failed RangeError | violation memory | violation execution_time
 * @kills
 */
const nested = JSON.parse('['.repeat(1_000_000) + ']'.repeat(1_000_000))
$.log('ESCAPED', JSON.stringify(nested).length)
