/**
 * Reaches the constructor of functions through `super` of a method whose home object is a function.
 *
 * Holds: `harden.js`.
 *
 * @ends failed TypeError: code cannot be made from strings
 */
const home = { make() { return super['con' + 'structor']('return 1') } }
Object.setPrototypeOf(home, $.log)
$.log('ESCAPED', home.make()())
