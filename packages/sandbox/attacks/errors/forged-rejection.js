/**
 * Rejects, unhandled, with what isolated-vm says of disposed isolates.
 *
 * Holds: ends are told by clocks and by the isolate's state, never by what an error says.
 *
 * @ends failed Error: Isolate was disposed during execution due to memory limit
 */
Promise.reject(new Error('Isolate was disposed during execution due to memory limit'))
