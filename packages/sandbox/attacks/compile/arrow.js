/**
 * Compiles a string with what makes plain functions.
 *
 * Holds: `harden.js` puts a function that throws in its place, for good.
 *
 * @ends failed TypeError: code cannot be made from strings
 */
$.log('ESCAPED', (() => {})['con' + 'structor']('return 1')())
