/**
 * Changes what all candles share, to leave something for the next run.
 *
 * Holds: the prototype of candles is frozen, and so is its getter.
 *
 * @ends completed
 * @log 4 refused
 */
const [candle] = await $.candles('btcusdt', '1h', 3)
const shared = Object.getPrototypeOf(candle)
const getter = Object.getOwnPropertyDescriptor(shared, 'clo' + 'se').get
let refused = 0
for (const change of [
  () => { shared.leak = 1 },
  () => { getter.leak = 1 },
  () => Object.defineProperty(shared, 'clo' + 'se', { value: 1 }),
  () => Object.setPrototypeOf(shared, {}),
]) {
  try {
    change()
    $.log('ESCAPED', String(change))
  } catch {
    refused += 1
  }
}
const made = shared['con' + 'structor']
if (made !== Object) $.log('ESCAPED', String(made))
$.log(refused, 'refused')
