/**
 * Normalises long texts and changes their case, again and again.
 *
 * Holds: a call that V8 does not interrupt makes the parent kill the executor 300 ms after the deadline.
 *
 * @ends violation execution_time
 * @kills
 */
const text = 'ǰ̌\u0344ﷺ'.repeat(20_000)
for (;;) { text.normalize('NFKD'); text.toLocaleUpperCase('tr') }
