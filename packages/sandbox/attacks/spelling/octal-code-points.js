/**
 * Makes a forbidden name of character codes.
 *
 * Holds: `harden.js`; the text check cannot see it, and does not have to.
 *
 * @ends failed TypeError: code cannot be made from strings
 */
const name = String.fromCharCode(...[11, 23, 22, 27, 28, 26, 29, 11, 28, 23, 26].map((code) => code + 88))
$.log('ESCAPED', (() => {})[name]('return 1')())
