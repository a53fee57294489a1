/**
 * Evaluates a string by the global of that name.
 *
 * Holds: the text check; without it the global is gone (`harden.js`).
 *
 * @ends failed ReferenceError: eval is not defined
 */
$.log('ESCAPED', (0, eval)('1 + 1'))
