/**
 * Asks which constructor called it.
 *
 * Holds: there is none; the body is a plain async function.
 *
 * @ends completed
 * @log undefined
 */
$.log(typeof new.target)
