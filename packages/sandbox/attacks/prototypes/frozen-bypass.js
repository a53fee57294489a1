/**
 * Changes frozen objects without assignments.
 *
 * Holds: no builtin can change a frozen object.
 *
 * @ends completed
 * @log 12 refused
 */
let refused = 0
for (const change of [
  () => Array.prototype.push.call(Array.prototype, 1), () => Array.prototype.fill.call(Array.prototype, 1, 0, 3).at(0).x,
  () => Array.prototype.copyWithin.call({ __proto__: Array.prototype, length: 2, 0: 1 }, 1, 0) && Array.prototype.pop.call($.Exchange) && null.x,
  () => Object.assign($.Strategy, { id: 2 }), () => delete $.Storage.set, () => { $.Http.timeout += 1 },
  () => Object.defineProperties(Math, { PI: { value: 3 } }), () => Object.setPrototypeOf($, null), () => { $.Ta.RSI.prototype.update = null },
  () => new (class extends (function () { return Object.prototype }) { leftover = 1 })(),
  () => { [Object.prototype.polluted] = [1] }, () => { for (Math.leftover of [1]); },
]) try { change(); $.log('ESCAPED', String(change)) } catch { refused += 1 }
$.log(refused, 'refused')
