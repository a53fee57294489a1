/**
 * Hides options of an action in the prototype of its options.
 *
 * Holds: only own members are options.
 *
 * @ends completed
 * @actions 1
 * @log {"id":1,"action":"LONG","symbols":["BTCUSDT"],"price":101.5,"at":1700000000000,"delivered":true}
 */
$.log(await $.Strategy.action('LONG', Object.create({ size: 'ESCAPED', forceSize: 1 })))
