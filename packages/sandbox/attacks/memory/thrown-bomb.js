/**
 * Throws an error whose message has hundreds of megabytes.
 *
 * Holds: it is cut in the isolate, and what crosses is small.
 *
 * @ends failed Error: xxxx | violation memory | violation execution_time
 * @kills
 */
throw new Error('x'.repeat(2 ** 28))
