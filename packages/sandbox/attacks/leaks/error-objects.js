/**
 * Hangs values on what errors share: prototypes, stack accessors, the function that formats stacks.
 *
 * Holds: all of it is frozen.
 *
 * @ends completed
 * @log 6 refused
 */
const { get, set } = Object.getOwnPropertyDescriptor(new Error('x'), 'stack')
let refused = 0
for (const object of [get, set, Error, Error.prepareStackTrace, Error.captureStackTrace, TypeError.prototype]) {
  if (object.leftover) $.log('ESCAPED')
  try { object.leftover = 1; $.log('ESCAPED') } catch { refused += 1 }
}
$.log(refused, 'refused')
