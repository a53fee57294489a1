/**
 * Logs values without a text: symbols, cycles, objects without prototype, things that throw.
 *
 * Holds: a value that cannot be shown is marked as such.
 *
 * @ends completed
 * @log Symbol(s) [object] {} [object] [function f] 1n undefined null
 */
const cycle = {}
cycle.cycle = cycle
$.log(Symbol('s'), cycle, Object.create(null), { toJSON() { throw 1 } }, function f() {}, 1n, undefined, null)
