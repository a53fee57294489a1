/**
 * Throws an error that says what isolated-vm says of timeouts and memory.
 *
 * Holds: clocks and the state of the isolate decide how a run ended, never the text of an error.
 *
 * @ends failed Error: Script execution timed out.
 */
throw new Error('Script execution timed out.')
