/**
 * Extends the constructor of functions, through `class extends` and `super`.
 *
 * Holds: `harden.js`: it finds no class.
 *
 * @ends failed TypeError: Class extends value
 */
const make = (() => {})['con' + 'structor']
class Maker extends make {}
$.log('ESCAPED', new Maker('return 1')())
