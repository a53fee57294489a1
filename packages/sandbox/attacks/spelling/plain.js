/**
 * Reads a forbidden global by its name.
 *
 * Holds: the text check; without it the global is gone (`harden.js`).
 *
 * @ends failed ReferenceError: process is not defined
 */
$.log('ESCAPED', process.version)
