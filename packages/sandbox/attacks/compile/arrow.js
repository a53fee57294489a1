/**
 * Compiles a string with the constructor of plain functions.
 *
 * Holds: `harden.js` replaces it with a function that throws.
 *
 * @ends failed TypeError: code cannot be made from strings
 */
$.log('ESCAPED', (() => {})['con' + 'structor']('return 1')())
