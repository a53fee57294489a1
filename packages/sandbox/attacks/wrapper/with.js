/**
 * Puts an object into the scope of names by `with`.
 *
 * Holds: the body is strict; V8 refuses it.
 *
 * @ends failed SyntaxError: Strict mode code may not include a with statement
 */
with ($) log('ESCAPED')
