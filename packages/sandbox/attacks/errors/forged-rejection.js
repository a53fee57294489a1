/**
 * Rejects, unhandled, with what isolated-vm says of disposed isolates.
 *
 * Holds: clocks and the state of the isolate decide how a run ended, never the text of an error.
 *
 * @ends failed Error: Isolate was disposed during execution due to memory limit
 */
Promise.reject(new Error('Isolate was disposed during execution due to memory limit'))
