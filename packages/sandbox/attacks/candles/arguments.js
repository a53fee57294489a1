/**
 * Asks for candles with arguments of wrong types, huge counts, getters that change, and names from prototypes.
 *
 * Holds: each argument is read once and checked in the isolate.
 *
 * @ends completed
 * @log 21 refused
 */
let refused = 0
let reads = 0
const changing = { get exchange() { reads += 1; return reads > 1 ? {} : 7 } }
const calls = [
  [], [{}, '1h', 5], ['', '1h', 5], ['x'.repeat(101), '1h', 5], [{ toString: () => 'x' }, '1h', 5],
  ['x', 1, 5], ['x', '', 5], ['x', '1s', 5], ['x', '0m', 5], ['x', '__proto__', 5], ['x', '1'.repeat(1e6) + 'm', 5],
  ['x', '1h', 0], ['x', '1h', 1001], ['x', '1h', Infinity], ['x', '1h', '5'], ['x', '1h', { valueOf: () => 5 }],
  ['x', '1h', 5, []], ['x', '1h', 5, { exchnage: 'a' }], ['x', '1h', 5, changing], ['x', '1h', 5, { service: 'x'.repeat(51) }],
  ['x', '1h', 5, new Map()],
]
for (const call of calls) {
  await $.candles(...call).then(() => $.log('ESCAPED', call), () => { refused += 1 })
}
$.log(refused, 'refused')
