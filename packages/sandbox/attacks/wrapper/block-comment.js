/**
 * Ends in an open block comment, to swallow the end of a wrapper.
 *
 * Holds: V8 compiles the body as a separate function, and refuses it.
 *
 * @ends failed SyntaxError: Invalid or unexpected token
 */
$.log('ESCAPED') /*
