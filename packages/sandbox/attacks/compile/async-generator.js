/**
 * Compiles a string with the constructor of async generators.
 *
 * Holds: `harden.js` replaces it with a function that throws.
 *
 * @ends failed TypeError: code cannot be made from strings
 */
$.log('ESCAPED', await (async function* () {})['con' + 'structor']('yield 1')().next())
