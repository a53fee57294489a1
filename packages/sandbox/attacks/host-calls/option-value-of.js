/**
 * Passes options as objects that convert to valid numbers or texts.
 *
 * Holds: the checks test the type, and convert nothing.
 *
 * @ends completed
 * @log TypeError TypeError TypeError TypeError
 */
const ends = []
for (const options of [{ size: { valueOf: () => 5 } }, { id: { toString: () => 'x' } }, { dilution: [] }, { size: new Number(5) }]) {
  await $.Strategy.action('LONG', options).then(() => ends.push('ESCAPED'), (error) => ends.push(error.name))
}
$.log(...ends)
