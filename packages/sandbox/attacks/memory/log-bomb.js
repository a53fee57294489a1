/**
 * Logs a text of hundreds of megabytes.
 *
 * Holds: it is cut in the isolate, and what crosses is small.
 *
 * @ends completed | violation memory | violation execution_time | failed RangeError
 * @kills
 */
$.log('x'.repeat(2 ** 28))
