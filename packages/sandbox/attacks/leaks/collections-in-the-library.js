/**
 * Looks for maps, sets, dates, buffers and regular expressions among what is shared: freezing does not keep their insides.
 *
 * Holds: the indicator library and the runtime share no such object.
 *
 * @ends completed
 * @log none
 */
const seen = new Set()
const queue = [$.Ta, $.Http, $.Action, $.Exchange, Error, Object, Math, JSON, Iterator]
const isOpen = (value) => [Map.prototype.has, Set.prototype.has, WeakMap.prototype.has, WeakSet.prototype.has, Date.prototype.getTime,
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), 'length').get].some((method, index) => {
  try { return method.call(value, {}) !== undefined || index < 5 } catch { return false }
}) || Object.prototype.toString.call(value) === '[object RegExp]' && Object.hasOwn(value, 'lastIndex')
for (const object of queue) {
  if (seen.has(object)) continue
  seen.add(object)
  if (isOpen(object) && object !== Object.getPrototypeOf(Uint8Array.prototype)) $.log('ESCAPED', String(object))
  for (const key of [...Object.getOwnPropertyNames(object), ...Object.getOwnPropertySymbols(object)]) {
    const { value } = Object.getOwnPropertyDescriptor(object, key)
    if ((typeof value === 'object' && value !== null) || typeof value === 'function') queue.push(value)
  }
}
$.log('none')
