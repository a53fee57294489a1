/**
 * Reads the call sites from the `arguments` of the function that formats stacks, while that reads a getter.
 *
 * Holds: the runtime is strict, so that none of its functions reveals its arguments or callers.
 *
 * @ends failed TypeError
 */
let sites
const error = { get name() { sites ??= Error.prepareStackTrace.arguments[1]; return 'x' }, message: '' }
Error.captureStackTrace(error)
const text = error.stack
if (sites === undefined) throw new TypeError(text)
$.log('ESCAPED', sites.map((site) => String(site)))
