/**
 * Rejects a hundred thousand times.
 *
 * Holds: one is reported; the others go with the isolate.
 *
 * @ends failed Error: x
 */
for (let index = 0; index < 100_000; index += 1) Promise.reject(new Error('x'))
