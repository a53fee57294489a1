/**
 * Hides a forbidden identifier behind a zero-width joiner.
 *
 * Holds: the joiner is part of the identifier, so it is another name, which does not exist.
 *
 * @ends failed ReferenceError
 */
$.log('ESCAPED', process‍.version)
