/**
 * Has an array method construct what makes functions by `Symbol.species`.
 *
 * Holds: `harden.js`: what it finds is no constructor.
 *
 * @ends failed TypeError: object.constructor[Symbol.species] is not a constructor
 */
const list = ['return 1']
const makers = { [Symbol.species]: (() => {})['con' + 'structor'] }
Object.defineProperty(list, 'con' + 'structor', { value: makers })
$.log('ESCAPED', list.map((text) => text))
