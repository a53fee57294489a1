/**
 * Passes parameters and headers as getters that change, throw and call.
 *
 * Holds: each is read once, inside the isolate.
 *
 * @ends completed
 * @log 1 1 getter
 */
let params = 0
let headers = 0
await $.Http.get('http://a.example/', { get a() { params += 1; return params === 1 ? 'x' : {} } }, { get b() { headers += 1; return headers === 1 ? 'y' : 5 } })
const error = await $.Http.get('http://a.example/', { get a() { throw new Error('getter') } }).catch((thrown) => thrown)
$.log(params, headers, error.message)
