/**
 * Leaves a position in the `lastIndex` of a literal, and another pattern in it by `compile`.
 *
 * Holds: a literal makes a new object whenever it is evaluated.
 *
 * @ends completed
 * @log 0 true
 */
const literal = () => /a/g
const expression = literal()
const before = expression.lastIndex
expression.test('aa')
expression.compile('b')
$.log(before, literal().test('a'))
