/**
 * Formats stacks by a function of a subclass of Error.
 *
 * Holds: V8 asks only the realm's own `Error`.
 *
 * @ends completed
 * @log string
 */
class Mine extends Error { static prepareStackTrace(_error, sites) { return sites } }
const error = new Mine('x')
Error.captureStackTrace(error, Mine)
$.log(typeof error.stack)
