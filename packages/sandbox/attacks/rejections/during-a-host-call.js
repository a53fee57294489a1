/**
 * Rejects during a host call, and then returns as if nothing had happened.
 *
 * Holds: it fails the run when it ends.
 *
 * @ends failed Error: loose
 * @log stopped
 */
Promise.reject(new Error('loose'))
await $.Strategy.stop()
$.log('stopped')
