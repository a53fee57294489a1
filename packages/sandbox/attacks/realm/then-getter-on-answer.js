/**
 * Watches how an answer is read, with a thenable between the answer and `await`.
 *
 * Holds: answers are frozen plain data made before any code of the strategy runs.
 *
 * @ends completed
 * @log true read
 */
const answer = await $.Http.get('http://a.example/')
const order = []
await { get then() { order.push('read'); return undefined } }
$.log(Object.isFrozen(answer), order.join())
