/**
 * Opens templates within templates, and closes the function in the innermost.
 *
 * Holds: V8 compiles the body as a separate function, and refuses it.
 *
 * @ends failed SyntaxError
 */
`${`${`${ }) ; $.log('ESCAPED') }`}`}`
