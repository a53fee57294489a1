/**
 * Ends in an open template, to swallow the end of a wrapper.
 *
 * Holds: V8 compiles the body as a separate function, and refuses it.
 *
 * @ends failed SyntaxError: Unexpected end of input | failed SyntaxError: Unterminated template literal
 */
$.log('ESCAPED'); `
