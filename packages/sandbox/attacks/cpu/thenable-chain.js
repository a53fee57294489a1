/**
 * Resolves promises with thenables that resolve with thenables.
 *
 * Holds: the timeout counts for the entry with all its microtasks.
 *
 * @ends violation execution_time
 */
await { then(resolve) { resolve(this) } }
