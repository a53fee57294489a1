/**
 * Stores a value and throws, to see whether what was stored is kept without the run's end.
 *
 * Holds: nothing to hold: what was set is told with the end, whatever it is.
 *
 * @ends failed Error: after
 */
await $.Storage.set({ kept: true })
throw new Error('after')
