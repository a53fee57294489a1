/**
 * Searches answers of host calls for anything except plain data of the isolate.
 *
 * Holds: answers cross as JSON and are parsed inside.
 *
 * @ends completed
 * @actions 1
 * @log plain
 */
const answers = [await $.Strategy.action('LONG'), await $.Http.get('http://a.example/'), await $.Strategy.stop(), await $.getExchangeRate('BINANCE', 'btcusdt'), await $.candles('btcusdt', '1h', 3).then((found) => ({ ...found }))]
for (const answer of answers) {
  if (typeof answer !== 'object' || answer === null) continue
  if (Object.getPrototypeOf(answer) !== Object.prototype) $.log('ESCAPED', answer)
  for (const key of Object.getOwnPropertyNames(answer)) if (typeof answer[key] === 'function') $.log('ESCAPED', key)
}
$.log('plain')
