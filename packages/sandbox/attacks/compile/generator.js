/**
 * Compiles a string with what makes generators.
 *
 * Holds: `harden.js` puts a function that throws in its place, for good.
 *
 * @ends failed TypeError: code cannot be made from strings
 */
$.log('ESCAPED', (function* () {})['con' + 'structor']('yield 1')().next())
