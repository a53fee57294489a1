/**
 * Logs a text of hundreds of megabytes.
 *
 * Holds: it is cut in the isolate, and only a short text crosses.
 *
 * @ends completed | violation memory | violation execution_time | failed RangeError
 * @kills
 */
$.log('x'.repeat(2 ** 28))
