/**
 * Stamps a private member on shared frozen objects, which freezing allows.
 *
 * Holds: each run's class has a private name of its own, so that no run can read another's.
 *
 * @ends completed
 * @log clean
 */
const give = function (object) { return object }
class Stamp extends give { #value = 1; static on(object) { return #value in object } }
for (const object of [Object.prototype, Math, $.Ta, Array]) {
  if (Stamp.on(object)) $.log('ESCAPED')
  try { new Stamp(object) } catch {}
}
$.log('clean')
