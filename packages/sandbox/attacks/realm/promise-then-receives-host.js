/**
 * Takes the promise of a host call apart: its constructor, species, `then` called by hand.
 *
 * Holds: the promise belongs to the isolate, without anything of the host.
 *
 * @ends completed
 * @log true true true
 */
const promise = $.Strategy.stop()
const value = await new Promise((resolve, reject) => Promise.prototype.then.call(promise, resolve, reject))
$.log(promise instanceof Promise, Object.getPrototypeOf(promise) === Promise.prototype, value)
