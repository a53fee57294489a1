/**
 * Throws an error with a million causes and errors inside.
 *
 * Holds: what is told of an error is its name, message and place.
 *
 * @ends failed AggregateError: many
 */
let cause = new Error('first')
for (let level = 0; level < 10_000; level += 1) cause = new Error('x', { cause })
throw new AggregateError([cause, cause], 'many', { cause })
