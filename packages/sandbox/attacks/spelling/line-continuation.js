/**
 * Breaks a forbidden name in a string by a line continuation.
 *
 * Holds: `harden.js`; the text check cannot see it, and does not have to.
 *
 * @ends failed TypeError: code cannot be made from strings
 */
$.log('ESCAPED', (() => {})['con\
structor']('return 1')())
