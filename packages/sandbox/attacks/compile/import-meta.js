/**
 * Asks for the module it is in.
 *
 * Holds: the text check; without it there is no module, and V8 does not compile it.
 *
 * @ends failed SyntaxError: Cannot use 'import.meta' outside a module
 */
$.log('ESCAPED', import.meta.url)
