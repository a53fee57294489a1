/**
 * Throws an error that says what isolated-vm says of timeouts and memory.
 *
 * Holds: ends are told by clocks and by the isolate's state, never by what an error says.
 *
 * @ends failed Error: Script execution timed out.
 */
throw new Error('Script execution timed out.')
