/**
 * Joins a forbidden property name in a template.
 *
 * Holds: `harden.js`; the text check cannot see it, and does not have to.
 *
 * @ends failed TypeError: code cannot be made from strings
 */
const half = 'con'
$.log('ESCAPED', (() => {})[`${half}structor`]('return 1')())
