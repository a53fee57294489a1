/**
 * Compiles long expressions without end.
 *
 * Holds: the limits of the isolate on memory and time, and of the executor on its size.
 *
 * @ends violation memory | violation execution_time
 * @kills
 */
const kept = []
for (let index = 0; ; index += 1) {
  const expression = new RegExp(`${'(?:a|b{2,9}|[c-z])'.repeat(2_000)}${index}`)
  expression.test('abc')
  kept.push(expression)
}
