/**
 * Gives the helpers for candles forged lists: times that are no numbers, getters that change, and a getter that never returns.
 *
 * Holds: they are pure functions of the isolate, with its memory and time.
 *
 * @ends violation execution_time
 */
const forged = [[1], [null], [{ time: NaN }], [{ time: 1n }], [{ get time() { return Math.random() } }], {}, 'text', undefined]
for (const list of forged) {
  for (const helper of Object.values($.Candles)) {
    try {
      helper(list, '1h')
    } catch {}
  }
}
$.Candles.lasts([{ get last() { for (;;) {} } }])
