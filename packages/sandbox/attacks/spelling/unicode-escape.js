/**
 * Spells a forbidden identifier with a `\u` escape.
 *
 * Holds: the text check decodes escapes; without it the global is gone.
 *
 * @ends failed ReferenceError: process is not defined
 */
$.log('ESCAPED', \u0070rocess.pid)
