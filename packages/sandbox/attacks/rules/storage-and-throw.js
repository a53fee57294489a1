/**
 * Stores a value and throws, to see whether the value is kept although the run fails.
 *
 * Holds: nothing is needed here: every end reports the value that was set.
 *
 * @ends failed Error: after
 */
await $.Storage.set({ kept: true })
throw new Error('after')
