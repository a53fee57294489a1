/**
 * Compiles an expression of nested repetitions, whose program is not on the heap.
 *
 * Holds: V8 limits the size of a compiled expression.
 *
 * @ends completed | failed SyntaxError | violation memory | violation execution_time
 * @kills
 */
new RegExp('((((a{1,500}){1,500}){1,500}){1,500}){1,500}').test('a'.repeat(100))
$.log('compiled')
