/**
 * Writes to the strings of a tagged template, which are one object for each place in the code and all runs.
 *
 * Holds: V8 freezes them; they can be recognised, but carry nothing.
 *
 * @ends completed
 * @log 4 refused
 */
const strings = ((parts) => parts)`one${1}two`
if (strings.leftover || strings.raw.leftover) $.log('ESCAPED')
let refused = 0
for (const leave of [() => { strings.leftover = 1 }, () => { strings.raw.leftover = 1 }, () => strings.push('x'), () => { strings[0] = 'x' }]) {
  try { leave() } catch { refused += 1 }
}
$.log(refused, 'refused')
