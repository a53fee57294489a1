/**
 * Rejects, unhandled, with an error whose message and stack have hundreds of megabytes.
 *
 * Holds: isolated-vm copies both into the executor, whose size the parent watches.
 *
 * @ends failed Error: xxxx | violation memory | violation execution_time
 * @kills
 */
const error = new Error('x'.repeat(2 ** 28))
error.stack = 'y'.repeat(2 ** 28)
Promise.reject(error)
