/**
 * Asks by which constructor it was called.
 *
 * Holds: none; the body is a plain async function's.
 *
 * @ends completed
 * @log undefined
 */
$.log(typeof new.target)
