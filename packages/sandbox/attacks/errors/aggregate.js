/**
 * Throws an error with a million causes and errors inside.
 *
 * Holds: an error is reported by its name, message and place only.
 *
 * @ends failed AggregateError: many
 */
let cause = new Error('first')
for (let level = 0; level < 10_000; level += 1) cause = new Error('x', { cause })
throw new AggregateError([cause, cause], 'many', { cause })
