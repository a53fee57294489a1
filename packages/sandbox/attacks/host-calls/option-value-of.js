/**
 * Passes options as objects that turn into what is wanted when they are read as numbers or texts.
 *
 * Holds: the checks ask for the type, not for what a value could become.
 *
 * @ends completed
 * @log TypeError TypeError TypeError TypeError
 */
const ends = []
for (const options of [{ size: { valueOf: () => 5 } }, { id: { toString: () => 'x' } }, { dilution: [] }, { size: new Number(5) }]) {
  await $.Strategy.action('LONG', options).then(() => ends.push('ESCAPED'), (error) => ends.push(error.name))
}
$.log(...ends)
