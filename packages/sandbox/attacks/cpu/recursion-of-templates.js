/**
 * Recurses by tagged templates and `toString` in templates.
 *
 * Holds: the stack is limited, and an overflow is an ordinary error.
 *
 * @ends failed RangeError: Maximum call stack size exceeded
 */
const endless = { toString: () => `${endless}${endless}` }
$.log(`${endless}`)
