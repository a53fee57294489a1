/**
 * Spells a forbidden identifier in letters that look alike or normalise to it.
 *
 * Holds: identifiers are not normalised by JavaScript: it is another name, which does not exist.
 *
 * @ends failed ReferenceError: ｐrocess is not defined
 */
$.log('ESCAPED', ｐrocess.version)
