/**
 * Finds a forbidden name among the keys of a prototype, never spelling any of it.
 *
 * Holds: `harden.js`: what it finds refuses.
 *
 * @ends failed TypeError: code cannot be made from strings
 */
const prototype = Object.getPrototypeOf(() => {})
const name = Object.getOwnPropertyNames(prototype).find((key) => key.length === 11 && key.endsWith('or'))
$.log('ESCAPED', prototype[name]('return 1')())
