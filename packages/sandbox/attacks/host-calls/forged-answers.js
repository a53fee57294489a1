/**
 * Settles a host call itself, by taking the promise apart and giving it another constructor.
 *
 * Holds: the functions that settle it are the runtime's alone.
 *
 * @ends completed
 * @log refused true
 */
const call = $.Strategy.stop()
let end = 'ESCAPED'
try { call.then = (resolve) => resolve('ESCAPED') } catch { end = 'refused' }
Object.defineProperty(call, 'con' + 'structor', { value: class {} })
await Promise.prototype.finally.call(call, () => {})
$.log(end, await Promise.prototype.then.call($.Strategy.stop(), (value) => value))
