/**
 * Awaits a promise that will never settle.
 *
 * Holds: without microtasks and open calls, the run is over.
 *
 * @ends failed Error: The code waits for a promise that will never settle.
 */
await new Promise(() => {})
