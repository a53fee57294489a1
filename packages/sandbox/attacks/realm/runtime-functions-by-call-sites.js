/**
 * Takes functions of the runtime from the call sites of an error that the runtime made, and posts as another run.
 *
 * Holds: the runtime is strict: call sites do not reveal its functions, nor these their arguments. And what an isolate
 * posts counts for the run inside it, whatever it says.
 *
 * @ends failed TypeError
 */
const calls = Array.from({ length: 9 }, () => $.Http.get('http://slow.example/'))
let sites
try { await calls[8] } catch (error) {
  Object.defineProperty(error, 'message', { get() { sites ??= Error.prepareStackTrace.arguments[1]; return '' } })
  void error.stack
  await Promise.all(calls.slice(0, 8))
}
if (sites === undefined) throw new TypeError('no call sites')
const request = sites[1].getFunction()
let state
await $.Http.get('http://a.example/', { get a() { state = request.arguments[0]; return 1 } })
$.log('ESCAPED', Object.keys(state))
