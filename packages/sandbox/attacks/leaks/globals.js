/**
 * Leaves a global behind, in every way, and looks for that of the run before.
 *
 * Holds: the global object is frozen.
 *
 * @ends completed
 * @log 3 refused
 */
if (typeof leftover !== 'undefined') $.log('ESCAPED')
let refused = 0
for (const leave of [() => { leftover = 1 }, () => { Object = 1 }, () => { undefined = 1 }]) try { leave() } catch { refused += 1 }
$.log(refused, 'refused')
