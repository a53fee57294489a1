/**
 * Looks through `arguments` for more than `$`: callee, callers, what the runtime passes.
 *
 * Holds: the body is called only with `$`, and is strict.
 *
 * @ends completed
 * @log 1 true refused
 */
let callee = 'ESCAPED'
try { callee = arguments.callee } catch { callee = 'refused' }
$.log(arguments.length, arguments[0] === $, callee)
