/**
 * Rejects, unhandled, with an error whose message never comes: isolated-vm asks for it again and again.
 *
 * Holds: the parent kills the executor 300 ms after the deadline.
 *
 * @ends violation execution_time
 * @kills
 */
Promise.reject(Object.defineProperty(new Error('x'), 'message', { get() { for (;;); } }))
