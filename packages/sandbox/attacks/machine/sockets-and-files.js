/**
 * Looks in everything that it can reach for a way to open a file or a socket, such as the socket of the service's database.
 *
 * Holds: an isolate has only the language: `harden.js` leaves no global that reaches outside, and there is no loader.
 *
 * @ends completed
 * @log nothing opens
 */
const words = ['proc-ess', 'req-uire', 'mod-ule', 'glo-bal', 'De-no', 'Web-Socket', 'Event-Source', 'fe-tch', 'Wor-ker', 'im-portScripts']
const reaching = new Set(words.map((word) => word.replace('-', '')))
const opening = /^(open|connect|createConnection|dlopen|binding|getBuiltinModule|readFile|writeFile|execFile|spawn|fork)(Sync)?$/
const seen = new Set()
const queue = [$, this, Object, Promise, Iterator, JSON, Math, Symbol, async function* () {}, [].values(),
  new Error().stack, $.Http.createApiClient({ apiKey: 'a', apiSecret: 'b' })]
for (const object of queue) {
  if ((typeof object !== 'object' && typeof object !== 'function') || object === null || seen.has(object)) continue
  seen.add(object)
  queue.push(Object.getPrototypeOf(object))
  for (const key of [...Object.getOwnPropertyNames(object), ...Object.getOwnPropertySymbols(object)]) {
    const { value, get, set } = Object.getOwnPropertyDescriptor(object, key)
    if (reaching.has(key) || (opening.test(String(key)) && typeof value === 'function')) $.log('ESCAPED', key)
    queue.push(value, get, set)
  }
}
$.log(seen.size > 100 ? 'nothing opens' : seen.size)
