/**
 * Awaits what nobody will settle.
 *
 * Holds: when the microtasks have run dry and no call is open, the run is over.
 *
 * @ends failed Error: The code waits for a promise that will never settle.
 */
await new Promise(() => {})
