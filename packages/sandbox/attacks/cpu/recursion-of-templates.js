/**
 * Recurses by tagged templates and `toString` in templates.
 *
 * Holds: the stack is bounded, and an overflow is an error like any other.
 *
 * @ends failed RangeError: Maximum call stack size exceeded
 */
const endless = { toString: () => `${endless}${endless}` }
$.log(`${endless}`)
