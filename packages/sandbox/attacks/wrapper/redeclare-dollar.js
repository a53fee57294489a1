/**
 * Declares `$` again, to put itself between the code and the runtime.
 *
 * Holds: `$` is a parameter of the strict body; V8 refuses it.
 *
 * @ends failed SyntaxError: Identifier '$' has already been declared
 */
let $ = { log() {} }
