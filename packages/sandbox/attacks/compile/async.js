/**
 * Compiles a string with what makes async functions.
 *
 * Holds: `harden.js` puts a function that throws in its place, for good.
 *
 * @ends failed TypeError: code cannot be made from strings
 */
$.log('ESCAPED', await (async () => {})['con' + 'structor']('return 1')())
