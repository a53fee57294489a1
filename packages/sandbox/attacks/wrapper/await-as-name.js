/**
 * Uses `await` as a name, which would show that the body is not an async function.
 *
 * Holds: the body is an async function's; V8 refuses it.
 *
 * @ends failed SyntaxError
 */
var await = 1
$.log('ESCAPED')
