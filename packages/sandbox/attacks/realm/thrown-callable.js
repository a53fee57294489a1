/**
 * Throws a class whose every member has an effect.
 *
 * Holds: thrown values are described inside the isolate.
 *
 * @ends failed Error: [function anonymous] was thrown | failed Error: The code threw a value
 */
throw class { static get name() { throw new Error('ESCAPED') } static toString() { return 'ESCAPED' } static [Symbol.toPrimitive]() { return 'ESCAPED' } }
