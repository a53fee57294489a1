/**
 * Logs what has no text: symbols, cycles, objects without prototype, things that throw.
 *
 * Holds: what cannot be shown is said to be so.
 *
 * @ends completed
 * @log Symbol(s) [object] {} [object] [function f] 1n undefined null
 */
const cycle = {}
cycle.cycle = cycle
$.log(Symbol('s'), cycle, Object.create(null), { toJSON() { throw 1 } }, function f() {}, 1n, undefined, null)
