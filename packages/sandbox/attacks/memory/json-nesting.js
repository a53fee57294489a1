/**
 * Parses and writes a text nested a million deep.
 *
 * Holds: V8 limits the stack, and an overflow is an ordinary error.
 *
 * @ends failed RangeError | violation memory | violation execution_time
 * @kills
 */
const nested = JSON.parse('['.repeat(1_000_000) + ']'.repeat(1_000_000))
$.log('ESCAPED', JSON.stringify(nested).length)
