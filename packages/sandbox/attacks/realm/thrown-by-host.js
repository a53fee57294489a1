/**
 * Searches an error of the host for objects, paths or stacks of another realm.
 *
 * Holds: an error of the host crosses as name and message; the object is made in the isolate.
 *
 * @ends completed
 * @log true true false
 */
const error = await $.Http.get('http://refused.example/').catch((thrown) => thrown)
const told = error.stack + JSON.stringify(error) + Object.getOwnPropertyNames(error).map((key) => String(error[key])).join()
$.log(error instanceof Error, Object.getPrototypeOf(error) === Error.prototype, /node:|file:|\.ts|\.js|tickwright|isolated/.test(told))
