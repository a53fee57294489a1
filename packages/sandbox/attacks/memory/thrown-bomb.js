/**
 * Throws an error whose message has hundreds of megabytes.
 *
 * Holds: it is cut in the isolate, and only a short text crosses.
 *
 * @ends failed Error: xxxx | violation memory | violation execution_time
 * @kills
 */
throw new Error('x'.repeat(2 ** 28))
