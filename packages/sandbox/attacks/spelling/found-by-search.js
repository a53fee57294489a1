/**
 * Finds a forbidden name among the keys of a prototype, without writing any of it.
 *
 * Holds: `harden.js`: the member that it finds throws.
 *
 * @ends failed TypeError: code cannot be made from strings
 */
const prototype = Object.getPrototypeOf(() => {})
const name = Object.getOwnPropertyNames(prototype).find((key) => key.length === 11 && key.endsWith('or'))
$.log('ESCAPED', prototype[name]('return 1')())
