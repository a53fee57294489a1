/**
 * Passes the type of an action as an object that is compared, or turns into a text later.
 *
 * Holds: it is compared without conversion to three texts.
 *
 * @ends completed
 * @log TypeError TypeError TypeError
 */
const ends = []
for (const type of [['LONG'], { toString: () => 'LONG' }, new String('LONG')]) {
  await $.Strategy.action(type).then(() => ends.push('ESCAPED'), (error) => ends.push(error.name))
}
$.log(...ends)
