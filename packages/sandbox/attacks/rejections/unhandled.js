/**
 * Rejects without a handler.
 *
 * Holds: it fails the run, and nothing else: isolated-vm reports it as the end of the entry.
 *
 * @ends failed Error: loose
 */
Promise.reject(new Error('loose'))
