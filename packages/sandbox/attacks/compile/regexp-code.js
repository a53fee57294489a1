/**
 * Looks for code in a regular expression: flags, lookbehind callbacks, `compile`.
 *
 * Holds: a regular expression is data; `compile` makes another one.
 *
 * @ends completed
 * @log true
 */
const expression = /a/
expression.compile('(?<=b)c', 'v')
$.log(expression.test('bc'))
