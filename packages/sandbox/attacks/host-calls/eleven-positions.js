/**
 * Asks for positions in a loop, after a rejection too, with arguments that pretend to be filters.
 *
 * Holds: the guest refuses arguments before it asks; the parent counts the calls and answers only ten.
 *
 * @ends completed
 * @log 12 refused, 10 answered
 */
let refused = 0
let answered = 0
const getter = { get symbol() { $.log('ESCAPED') }, toString: () => 'x' }
for (const given of [[getter], [undefined], [{ __proto__: null }, 'x']]) {
  await $.Strategy.positions(...given).catch(() => { refused += 1 })
}
for (let count = 0; count < 19; count += 1) {
  await $.Strategy.positions().then(() => { answered += 1 }, () => { refused += 1 })
}
$.log(`${refused} refused, ${answered} answered`)
