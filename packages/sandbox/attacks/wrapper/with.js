/**
 * Puts an object into the scope with `with`.
 *
 * Holds: the body is strict; V8 refuses it.
 *
 * @ends failed SyntaxError: Strict mode code may not include a with statement
 */
with ($) log('ESCAPED')
