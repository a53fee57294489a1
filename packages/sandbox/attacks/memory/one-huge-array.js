/**
 * Asks for an array of 2^27 elements at once.
 *
 * Holds: the isolate's limit; V8 aborts if a single allocation is too big.
 *
 * @ends failed RangeError | violation memory | violation execution_time
 * @kills
 */
const huge = new Array(2 ** 25).fill(0).map((_, index) => [index])
$.log('ESCAPED', huge.length)
