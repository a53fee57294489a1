/**
 * Compares and concatenates giant texts.
 *
 * Holds: V8 does not always interrupt them; the parent kills the executor 300 ms after the deadline.
 *
 * @ends violation execution_time
 * @kills
 */
const one = 'x'.repeat(4_000_000)
const two = `${one.slice(0, -1)}y`
for (;;) if (one === two || one < two === null) $.log('never')
