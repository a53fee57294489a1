/**
 * Compiles a string with the constructor of async functions.
 *
 * Holds: `harden.js` replaces it with a function that throws.
 *
 * @ends failed TypeError: code cannot be made from strings
 */
$.log('ESCAPED', await (async () => {})['con' + 'structor']('return 1')())
