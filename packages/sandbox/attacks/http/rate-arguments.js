/**
 * Asks for rates of exchanges that are members of prototypes, and of symbols that are no texts.
 *
 * Holds: each argument is checked in the isolate.
 *
 * @ends completed
 * @log 4 refused
 */
let refused = 0
for (const call of [() => $.getExchangeRate('toString', 'x'), () => $.getExchangeRate('__proto__', 'x'), () => $.getExchangeRate('BINANCE', { toString: () => 'x' }), () => $.getExchangeRate('BINANCE', 'x'.repeat(10_000))]) {
  await call().then(() => $.log('ESCAPED'), () => { refused += 1 })
}
$.log(refused, 'refused')
