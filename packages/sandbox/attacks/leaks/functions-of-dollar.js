/**
 * Hangs values on functions and objects of `$`, and looks for them in the next run.
 *
 * Holds: `$` and everything under it is frozen, and created for each run.
 *
 * @ends completed
 * @log frozen
 */
const walk = (object, path, seen = new Set()) => {
  if ((typeof object !== 'object' && typeof object !== 'function') || object === null || seen.has(object)) return
  seen.add(object)
  if (object.leftover) $.log('ESCAPED', path)
  try { object.leftover = 1; $.log('ESCAPED', path) } catch {}
  for (const key of Object.getOwnPropertyNames(object)) walk(Object.getOwnPropertyDescriptor(object, key).value, `${path}.${key}`, seen)
}
walk($, '$')
$.log('frozen')
