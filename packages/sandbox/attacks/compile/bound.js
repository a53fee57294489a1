/**
 * Compiles a string through a bound function's prototype chain.
 *
 * Holds: `harden.js`: a bound function has the same prototype as any other.
 *
 * @ends failed TypeError: code cannot be made from strings
 */
const bound = $.log.bind(null)
$.log('ESCAPED', Object.getPrototypeOf(bound)['con' + 'structor']('return 1')())
