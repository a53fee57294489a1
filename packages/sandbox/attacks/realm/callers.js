/**
 * Asks functions who called them.
 *
 * Holds: all code is strict, and strict functions do not reveal their callers.
 *
 * @ends completed
 * @log refused refused refused
 */
const tell = (read) => { try { return read() ?? 'ESCAPED' } catch { return 'refused' } }
function called() { return [tell(() => called.caller.name), tell(() => called.arguments.length)] }
const [caller, passed] = [1].map(called)[0]
$.log(caller, passed, tell(() => $.Storage.set.caller.name))
