/**
 * Keeps an API client, and changes the library that made it.
 *
 * Holds: the library is frozen, and a client belongs to the run that made it.
 *
 * @ends completed
 * @log true held
 */
const client = $.Http.createApiClient({ apiKey: 'a', apiSecret: 'b' })
const seen = new Set()
const walk = (object) => {
  if ((typeof object !== 'object' && typeof object !== 'function') || object === null || seen.has(object)) return
  seen.add(object)
  if (object.leftover) $.log('ESCAPED')
  try { object.leftover = 1 } catch {}
  walk(Object.getPrototypeOf(object))
  for (const key of Object.getOwnPropertyNames(object)) {
    const { value, get, set } = Object.getOwnPropertyDescriptor(object, key)
    for (const member of [value, get, set]) walk(member)
  }
}
walk(client)
$.log(seen.size > 5, 'held')
