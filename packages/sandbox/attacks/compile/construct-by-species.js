/**
 * Makes an array method call the constructor of functions by `Symbol.species`.
 *
 * Holds: `harden.js`: it finds no constructor.
 *
 * @ends failed TypeError: object.constructor[Symbol.species] is not a constructor
 */
const list = ['return 1']
const makers = { [Symbol.species]: (() => {})['con' + 'structor'] }
Object.defineProperty(list, 'con' + 'structor', { value: makers })
$.log('ESCAPED', list.map((text) => text))
