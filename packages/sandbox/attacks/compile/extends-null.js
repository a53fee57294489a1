/**
 * Extends what makes functions, through `class extends` and `super`.
 *
 * Holds: `harden.js`: what it finds there is no class.
 *
 * @ends failed TypeError: Class extends value
 */
const make = (() => {})['con' + 'structor']
class Maker extends make {}
$.log('ESCAPED', new Maker('return 1')())
