/**
 * Hides a forbidden identifier behind a zero-width joiner.
 *
 * Holds: the joiner is part of the identifier, which is another name then, which nothing has.
 *
 * @ends failed ReferenceError
 */
$.log('ESCAPED', process‍.version)
