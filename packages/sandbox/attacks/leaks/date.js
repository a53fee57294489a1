/**
 * Changes the clock for later runs.
 *
 * Holds: dates are frozen.
 *
 * @ends completed
 * @log 4 refused true
 */
let refused = 0
for (const change of [() => { Date.now = () => 0 }, () => { Date.prototype.getTime = () => 0 }, () => Date.prototype.setTime.call(Date.prototype, 0), () => { Date.prototype.toJSON = 1 }]) {
  try { change() } catch { refused += 1 }
}
$.log(refused, 'refused', new Date().getTime() > 1e12)
