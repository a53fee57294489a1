/**
 * Throws an error with a name of megabytes and a message full of control characters.
 *
 * Holds: both are cut in the isolate, and checked again by the parent.
 *
 * @ends failed xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…
 */
const error = new Error('\u0000\u001b\ud800'.repeat(1_000_000))
error.name = 'x'.repeat(1_000_000)
throw error
