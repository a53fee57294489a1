/**
 * Registers symbols that outlive the run, and hangs values on them.
 *
 * Holds: a symbol has no members of its own, and that one was asked for before shows nowhere.
 *
 * @ends completed
 * @log refused undefined undefined
 */
const symbol = Symbol.for('leftover')
let end = 'ESCAPED'
try { symbol.leftover = 1 } catch { end = 'refused' }
$.log(end, typeof symbol.leftover, typeof Symbol.prototype.leftover)
